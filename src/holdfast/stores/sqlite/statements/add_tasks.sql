INSERT INTO task (
    tenant, id, execution_id, task_type, queue, priority, input, options, metadata, idempotency_key, created_at,
    scheduled_at, status, ready, attempt, claim_token, worker_id, lease_expires_at, wake_at, started_at, heartbeat_at,
    details, progress, progress_message, cancel_requested, output, failure, closed_at
)
SELECT
    column1, column2, nullif(column3, -1), column4, column5, column6, column7, nullif(column8, -1),
    nullif(column9, -1), nullif(column10, -1), column11, nullif(column12, -1), column13, column14, column15,
    column16, nullif(column17, -1), nullif(column18, -1), nullif(column19, -1), nullif(column20, -1),
    nullif(column21, -1), nullif(column22, -1), column23, nullif(column24, -1), column25,
    nullif(column26, -1), nullif(column27, -1), nullif(column28, -1)
FROM (VALUES :rows) WHERE column1 <> -1
