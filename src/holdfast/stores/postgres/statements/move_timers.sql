UPDATE holdfast.timer
SET fire_at = changed.fire_at
FROM unnest(
    $1::text[], $2::text[], $3::bigint[]
) AS changed (
    tenant, id, fire_at
)
WHERE timer.tenant = changed.tenant
    AND timer.id = changed.id
