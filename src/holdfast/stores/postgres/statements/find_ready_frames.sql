SELECT flow_frame.tenant, flow_frame.execution_id, flow_frame.scope, flow_frame.item_index
FROM holdfast.flow_frame
WHERE flow_frame.ready
ORDER BY
    flow_frame.created_at, flow_frame.tenant, flow_frame.execution_id, flow_frame.scope, flow_frame.item_index
LIMIT $1
FOR UPDATE SKIP LOCKED
