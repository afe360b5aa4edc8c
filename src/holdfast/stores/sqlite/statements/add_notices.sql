-- Numbers go on from the tenant's last notice; column3 counts those before it within the statement.
INSERT INTO feed (tenant, time, first, count, notices)
SELECT
    column1, column2,
    column3 + coalesce(
        (SELECT first + count FROM feed WHERE tenant = column1 ORDER BY first DESC LIMIT 1), 1
    ),
    column4, column5
FROM (VALUES :rows) WHERE column1 <> -1
