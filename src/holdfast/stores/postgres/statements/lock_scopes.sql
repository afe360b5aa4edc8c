SELECT
    flow_scope.tenant, flow_scope.execution_id, flow_scope.path, flow_scope.visit, flow_scope.total,
    flow_scope.concurrency, flow_scope.tolerated, flow_scope.fail_fast, flow_scope.created_at,
    flow_scope.opened, flow_scope.ended, flow_scope.failed, flow_scope.ready, flow_scope.closed_at
FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (tenant, execution_id, path)
JOIN holdfast.flow_scope USING (tenant, execution_id, path)
ORDER BY flow_scope.tenant, flow_scope.execution_id, flow_scope.path
FOR UPDATE OF flow_scope :waiting
