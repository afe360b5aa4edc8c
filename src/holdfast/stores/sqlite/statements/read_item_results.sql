-- The order is Python's concern.
SELECT json_group_array(
    json_array(
        flow_frame.tenant, flow_frame.execution_id, flow_frame.scope, flow_frame.item_index, flow_frame.status,
        CAST(flow_frame.result AS TEXT), CAST(flow_frame.failure AS TEXT)
    )
)
FROM json_each(:item_results) AS wanted
CROSS JOIN flow_frame
    ON flow_frame.tenant = wanted.value ->> 0 AND flow_frame.execution_id = wanted.value ->> 1
    AND flow_frame.scope = wanted.value ->> 2
WHERE flow_frame.status <> 'open'
