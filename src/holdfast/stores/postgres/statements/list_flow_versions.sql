SELECT tenant, name, version, document, created_at
FROM holdfast.flow_version
WHERE tenant = $1 AND name = $2 AND version < $3
ORDER BY version DESC
LIMIT $4
