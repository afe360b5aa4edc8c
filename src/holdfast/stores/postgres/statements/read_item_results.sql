SELECT
    flow_frame.tenant, flow_frame.execution_id, flow_frame.scope, flow_frame.item_index, flow_frame.status,
    flow_frame.result, flow_frame.failure
FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (tenant, execution_id, scope)
JOIN holdfast.flow_frame USING (tenant, execution_id, scope)
WHERE flow_frame.status <> 'open'
