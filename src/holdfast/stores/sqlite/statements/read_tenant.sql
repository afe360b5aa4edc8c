SELECT json_group_array(json_array(id, created_at, status, CAST(limits AS TEXT), CAST(retention AS TEXT)))
FROM tenant
WHERE id = :id
