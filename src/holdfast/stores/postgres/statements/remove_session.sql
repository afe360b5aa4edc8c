DELETE FROM holdfast.session
WHERE session.id = $1
    AND NOT EXISTS (
        SELECT 1 FROM holdfast.execution
        WHERE execution.status = 'RUNNING' AND execution.worker_id >= $1 || '/' AND execution.worker_id < $1 || '0'
    )
    AND NOT EXISTS (
        SELECT 1 FROM holdfast.task
        WHERE task.status = 'RUNNING' AND task.worker_id >= $1 || '/' AND task.worker_id < $1 || '0'
    )
