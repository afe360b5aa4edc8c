SELECT id, tenant, roles, name, digest, created_at, created_by, expires_at, revoked_at
FROM holdfast.access_key
WHERE tenant = $1
ORDER BY created_at, id
