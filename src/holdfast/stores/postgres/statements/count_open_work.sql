SELECT queue, 'workflow' AS work, kind, 'PENDING' AS status, count(*) AS open, min(created_at) AS oldest
FROM holdfast.execution
WHERE tenant = $1 AND status = 'PENDING'
GROUP BY queue, kind
UNION ALL
SELECT queue, 'workflow', kind, 'RUNNING', count(*), min(created_at)
FROM holdfast.execution
WHERE tenant = $1 AND status = 'RUNNING'
GROUP BY queue, kind
UNION ALL
SELECT queue, 'task', task_type, 'PENDING', count(*), min(created_at)
FROM holdfast.task
WHERE tenant = $1 AND ready
GROUP BY queue, task_type
UNION ALL
SELECT queue, 'task', task_type, 'DELAYED', count(*), min(created_at)
FROM holdfast.task
WHERE tenant = $1 AND wake_at IS NOT NULL AND status = 'PENDING' AND NOT ready
GROUP BY queue, task_type
UNION ALL
SELECT queue, 'task', task_type, 'RUNNING', count(*), min(created_at)
FROM holdfast.task
WHERE tenant = $1 AND status = 'RUNNING'
GROUP BY queue, task_type
