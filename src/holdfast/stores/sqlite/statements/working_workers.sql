SELECT json_group_array(worker_id)
FROM (
    SELECT worker_id FROM execution WHERE status = 'RUNNING' AND worker_id IS NOT NULL
    UNION
    SELECT worker_id FROM task WHERE status = 'RUNNING' AND worker_id IS NOT NULL
)
