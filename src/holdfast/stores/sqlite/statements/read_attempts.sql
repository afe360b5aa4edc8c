SELECT json_group_array(
    json_array(
        tenant, task_id, attempt, started_at, finished_at, status, worker_id, CAST(output AS TEXT),
        CAST(failure AS TEXT)
    )
)
FROM (SELECT * FROM task_attempt WHERE tenant = :tenant AND task_id = :task_id ORDER BY attempt)
