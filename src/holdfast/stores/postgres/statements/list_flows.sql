SELECT DISTINCT ON (name) tenant, name, version, document, created_at
FROM holdfast.flow_version
WHERE tenant = $1 AND name > $2
ORDER BY name, version DESC
LIMIT $3
