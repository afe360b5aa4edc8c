UPDATE holdfast.flow_scope
SET opened = changed.opened,
    ended = changed.ended,
    failed = changed.failed,
    ready = changed.ready,
    closed_at = changed.closed_at
FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::boolean[], $8::bigint[]
) AS changed (
    tenant, execution_id, path, opened, ended, failed, ready, closed_at
)
WHERE flow_scope.tenant = changed.tenant
    AND flow_scope.execution_id = changed.execution_id
    AND flow_scope.path = changed.path
