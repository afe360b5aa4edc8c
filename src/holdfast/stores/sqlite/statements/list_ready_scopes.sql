SELECT json_group_array(
    json_array(
        flow_scope.tenant, flow_scope.execution_id, flow_scope.path, flow_scope.visit, flow_scope.total,
        flow_scope.concurrency, flow_scope.tolerated, flow_scope.fail_fast, flow_scope.created_at, flow_scope.opened,
        flow_scope.ended, flow_scope.failed, flow_scope.ready, flow_scope.closed_at
    )
)
FROM (
    SELECT *
    FROM flow_scope INDEXED BY flow_scope_ready
    WHERE ready = 1
    ORDER BY created_at, tenant, execution_id, path
    LIMIT :limit
) AS flow_scope
