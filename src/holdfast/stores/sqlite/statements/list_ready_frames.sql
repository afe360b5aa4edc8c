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
    FROM flow_frame INDEXED BY flow_frame_ready
    WHERE ready = 1
    ORDER BY created_at, tenant, execution_id, scope, item_index
    LIMIT :limit
) AS flow_frame
