UPDATE promise
SET status = changed.column3,
    wake_at = nullif(changed.column4, -1),
    closed_at = nullif(changed.column5, -1)
FROM (VALUES :rows) AS changed
WHERE promise.tenant = changed.column1 AND promise.id = changed.column2
