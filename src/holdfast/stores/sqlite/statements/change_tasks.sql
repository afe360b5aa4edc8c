UPDATE task
SET status = changed.column3,
    ready = changed.column4,
    attempt = changed.column5,
    claim_token = changed.column6,
    worker_id = nullif(changed.column7, -1),
    lease_expires_at = nullif(changed.column8, -1),
    wake_at = nullif(changed.column9, -1),
    started_at = nullif(changed.column10, -1),
    heartbeat_at = nullif(changed.column11, -1),
    details = nullif(changed.column12, -1),
    progress = changed.column13,
    progress_message = nullif(changed.column14, -1),
    cancel_requested = changed.column15,
    output = nullif(changed.column16, -1),
    failure = nullif(changed.column17, -1),
    closed_at = nullif(changed.column18, -1),
    scheduled_at = nullif(changed.column19, -1),
    options = nullif(changed.column20, -1)
FROM (VALUES :rows) AS changed
WHERE task.tenant = changed.column1 AND task.id = changed.column2
