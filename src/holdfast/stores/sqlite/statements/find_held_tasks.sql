SELECT json_group_array(json_array(tenant, id))
FROM (
    SELECT tenant, id FROM task INDEXED BY task_held
    WHERE status = 'RUNNING' AND worker_id IN (SELECT value FROM json_each(:workers))
    LIMIT :held_limit
)
