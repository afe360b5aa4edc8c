SELECT json_group_array(json_array(queue, work, kind, status, open, oldest))
FROM (
    SELECT queue, 'workflow' AS work, kind, 'PENDING' AS status, count(*) AS open, min(created_at) AS oldest
    FROM execution WHERE tenant = :tenant AND status = 'PENDING' GROUP BY queue, kind
    UNION ALL
    SELECT queue, 'workflow', kind, 'RUNNING', count(*), min(created_at)
    FROM execution INDEXED BY execution_held WHERE tenant = :tenant AND status = 'RUNNING' GROUP BY queue, kind
    UNION ALL
    SELECT queue, 'task', task_type, 'PENDING', count(*), min(created_at)
    FROM task WHERE tenant = :tenant AND ready = 1 GROUP BY queue, task_type
    UNION ALL
    SELECT queue, 'task', task_type, 'DELAYED', count(*), min(created_at)
    FROM task INDEXED BY task_wake
    WHERE tenant = :tenant AND wake_at IS NOT NULL AND status = 'PENDING' AND ready = 0
    GROUP BY queue, task_type
    UNION ALL
    SELECT queue, 'task', task_type, 'RUNNING', count(*), min(created_at)
    FROM task INDEXED BY task_held WHERE tenant = :tenant AND status = 'RUNNING' GROUP BY queue, task_type
)
