INSERT INTO flow_scope (
    tenant, execution_id, path, visit, total, concurrency, tolerated, fail_fast, created_at, opened, ended, failed,
    ready, closed_at
)
SELECT
    column1, column2, column3, column4, column5, column6, column7, column8, column9, column10, column11, column12,
    column13, nullif(column14, -1)
FROM (VALUES :rows) WHERE column1 <> -1
