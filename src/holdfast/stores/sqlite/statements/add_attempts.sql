INSERT INTO task_attempt (
    tenant, task_id, attempt, started_at, finished_at, status, worker_id, output, failure
)
SELECT
    column1, column2, column3, column4, column5, column6, nullif(column7, -1), nullif(column8, -1),
    nullif(column9, -1)
FROM (VALUES :rows) WHERE column1 <> -1
