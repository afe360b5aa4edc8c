SELECT json_group_array(json_array(id, tenant, roles, name, digest, created_at, created_by, expires_at, revoked_at))
FROM (SELECT * FROM access_key WHERE tenant = :tenant ORDER BY created_at, id)
