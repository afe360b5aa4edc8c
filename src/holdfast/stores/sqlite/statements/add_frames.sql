INSERT INTO flow_frame (
    tenant, execution_id, scope, item_index, item, created_at, status, ready, state, result, failure, closed_at
)
SELECT
    column1, column2, column3, column4, column5, column6, column7, column8, column9, nullif(column10, -1),
    nullif(column11, -1), nullif(column12, -1)
FROM (VALUES :rows) WHERE column1 <> -1
