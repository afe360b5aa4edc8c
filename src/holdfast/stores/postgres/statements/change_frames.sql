UPDATE holdfast.flow_frame
SET status = changed.status,
    ready = changed.ready,
    state = changed.state,
    result = changed.result,
    failure = changed.failure,
    closed_at = changed.closed_at
FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::boolean[], $7::bytea[], $8::bytea[],
    $9::bytea[], $10::bigint[]
) AS changed (
    tenant, execution_id, scope, item_index, status, ready, state, result, failure, closed_at
)
WHERE flow_frame.tenant = changed.tenant
    AND flow_frame.execution_id = changed.execution_id
    AND flow_frame.scope = changed.scope
    AND flow_frame.item_index = changed.item_index
