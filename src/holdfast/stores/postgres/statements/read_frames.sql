SELECT
    flow_frame.tenant, flow_frame.execution_id, flow_frame.scope, flow_frame.item_index, flow_frame.item,
    flow_frame.created_at, flow_frame.status, flow_frame.ready, flow_frame.state, flow_frame.result,
    flow_frame.failure, flow_frame.closed_at
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS wanted (tenant, execution_id, scope, item_index)
JOIN holdfast.flow_frame USING (tenant, execution_id, scope, item_index)
