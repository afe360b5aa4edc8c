SELECT json_group_array(
    json_array(
        flow_frame.tenant, flow_frame.execution_id, flow_frame.scope, flow_frame.item_index,
        CAST(flow_frame.item AS TEXT), flow_frame.created_at, flow_frame.status, flow_frame.ready,
        CAST(flow_frame.state AS TEXT), CAST(flow_frame.result AS TEXT), CAST(flow_frame.failure AS TEXT),
        flow_frame.closed_at
    )
)
FROM (
    SELECT *
    FROM flow_frame
    WHERE tenant = :tenant AND execution_id = :execution_id AND scope = :scope AND item_index > :after
    ORDER BY item_index
    LIMIT :limit
) AS flow_frame
