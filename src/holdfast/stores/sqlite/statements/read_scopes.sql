SELECT json_group_array(
    json_array(
        flow_scope.tenant, flow_scope.execution_id, flow_scope.path, flow_scope.visit, flow_scope.total,
        flow_scope.concurrency, flow_scope.tolerated, flow_scope.fail_fast, flow_scope.created_at, flow_scope.opened,
        flow_scope.ended, flow_scope.failed, flow_scope.ready, flow_scope.closed_at
    )
)
FROM json_each(:scopes) AS wanted
CROSS JOIN flow_scope
    ON flow_scope.tenant = wanted.value ->> 0 AND flow_scope.execution_id = wanted.value ->> 1
    AND flow_scope.path = wanted.value ->> 2
