SELECT json_group_array(json_array(id, created_at, status, limits, retention))
FROM (
    SELECT id, created_at, status, CAST(limits AS TEXT) AS limits, CAST(retention AS TEXT) AS retention
    FROM tenant
    ORDER BY id
)
