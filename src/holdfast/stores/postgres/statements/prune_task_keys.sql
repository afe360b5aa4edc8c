-- A key that has been given to a younger task by now stays.
DELETE FROM holdfast.request_key
USING holdfast.task
WHERE task.tenant = $1 AND task.id = ANY ($2::text[]) AND task.idempotency_key IS NOT NULL
    AND request_key.tenant = $1 AND request_key.scope = 'task' AND request_key.key = task.idempotency_key
    AND request_key.subject = task.id
