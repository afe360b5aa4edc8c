SELECT json_group_array(
    json_array(
        promise.tenant, promise.id, promise.execution_id, promise.name, promise.created_at, promise.status,
        promise.wake_at, promise.closed_at
    )
)
FROM json_each(:promises) AS wanted
CROSS JOIN promise ON promise.tenant = wanted.value ->> 0 AND promise.id = wanted.value ->> 1
