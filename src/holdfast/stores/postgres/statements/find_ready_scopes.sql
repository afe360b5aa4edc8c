SELECT flow_scope.tenant, flow_scope.execution_id, flow_scope.path
FROM holdfast.flow_scope
WHERE flow_scope.ready
ORDER BY flow_scope.created_at, flow_scope.tenant, flow_scope.execution_id, flow_scope.path
LIMIT $1
FOR UPDATE SKIP LOCKED
