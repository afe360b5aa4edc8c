SELECT json_group_array(
    json_array(
        flow_frame.tenant, flow_frame.execution_id, flow_frame.scope, flow_frame.item_index,
        CAST(flow_frame.item AS TEXT), flow_frame.created_at, flow_frame.status, flow_frame.ready,
        CAST(flow_frame.state AS TEXT), CAST(flow_frame.result AS TEXT), CAST(flow_frame.failure AS TEXT),
        flow_frame.closed_at
    )
)
FROM json_each(:frames) AS wanted
CROSS JOIN flow_frame
    ON flow_frame.tenant = wanted.value ->> 0 AND flow_frame.execution_id = wanted.value ->> 1
    AND flow_frame.scope = wanted.value ->> 2 AND flow_frame.item_index = wanted.value ->> 3
