INSERT INTO execution (
    tenant, id, kind, queue, input, metadata, parent_id, child_name, created_at, deadline_at, status, last_sequence,
    seen_sequence, open_items, claim_token, worker_id, lease_expires_at, wake_at, cancel_requested, output, failure,
    failure_type, closed_at
)
SELECT
    column1, column2, column3, column4, column5, column6, nullif(column7, -1), nullif(column8, -1), column9,
    nullif(column10, -1), column11, column12, column13, column14, column15, nullif(column16, -1),
    nullif(column17, -1), nullif(column18, -1), column19, nullif(column20, -1), nullif(column21, -1),
    nullif(column22, -1), nullif(column23, -1)
FROM (VALUES :rows) WHERE column1 <> -1
