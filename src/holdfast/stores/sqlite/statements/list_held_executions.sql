SELECT json_group_array(json_array(worker_id, 'workflow', id, kind, NULL, NULL, 0.0))
FROM (
    SELECT worker_id, id, kind FROM execution INDEXED BY execution_held
    WHERE status = 'RUNNING' AND worker_id > '' AND tenant = :tenant
    ORDER BY worker_id
    LIMIT :most
)
