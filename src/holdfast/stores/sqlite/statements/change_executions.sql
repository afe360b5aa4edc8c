UPDATE execution
SET status = changed.column3,
    last_sequence = changed.column4,
    seen_sequence = changed.column5,
    open_items = changed.column6,
    claim_token = changed.column7,
    worker_id = nullif(changed.column8, -1),
    lease_expires_at = nullif(changed.column9, -1),
    wake_at = nullif(changed.column10, -1),
    cancel_requested = changed.column11,
    output = nullif(changed.column12, -1),
    failure = nullif(changed.column13, -1),
    failure_type = nullif(changed.column14, -1),
    closed_at = nullif(changed.column15, -1),
    deadline_at = nullif(changed.column16, -1)
FROM (VALUES :rows) AS changed
WHERE execution.tenant = changed.column1 AND execution.id = changed.column2
