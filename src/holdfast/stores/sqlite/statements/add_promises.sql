INSERT INTO promise (tenant, id, execution_id, name, created_at, status, wake_at, closed_at)
SELECT
    column1, column2, column3, column4, column5, column6, nullif(column7, -1), nullif(column8, -1)
FROM (VALUES :rows) WHERE column1 <> -1
