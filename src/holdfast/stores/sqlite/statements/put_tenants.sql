INSERT INTO tenant (id, created_at, status, limits, retention)
SELECT value ->> 0, value ->> 1, value ->> 2, CAST(value ->> 3 AS BLOB), CAST(value ->> 4 AS BLOB)
FROM json_each(:rows_json)
WHERE TRUE
ON CONFLICT (id) DO UPDATE SET status = excluded.status, limits = excluded.limits, retention = excluded.retention
