SELECT worker_id FROM holdfast.execution WHERE status = 'RUNNING' AND worker_id IS NOT NULL
UNION
SELECT worker_id FROM holdfast.task WHERE status = 'RUNNING' AND worker_id IS NOT NULL
