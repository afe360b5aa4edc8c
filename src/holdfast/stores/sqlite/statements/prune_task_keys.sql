-- A key that has been given to a younger task by now stays.
DELETE FROM request_key
WHERE (tenant, scope, key) IN (
        SELECT tenant, 'task', idempotency_key FROM task
        WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids)) AND idempotency_key IS NOT NULL
    )
    AND subject IN (SELECT value FROM json_each(:ids))
