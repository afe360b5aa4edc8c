UPDATE holdfast.promise
SET status = changed.status,
    wake_at = changed.wake_at,
    closed_at = changed.closed_at
FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]
) AS changed (
    tenant, id, status, wake_at, closed_at
)
WHERE promise.tenant = changed.tenant
    AND promise.id = changed.id
