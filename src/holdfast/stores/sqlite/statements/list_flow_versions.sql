SELECT json_group_array(json_array(tenant, name, version, CAST(document AS TEXT), created_at))
FROM (
    SELECT *
    FROM flow_version
    WHERE tenant = :tenant AND name = :name AND version < :before
    ORDER BY version DESC
    LIMIT :limit
)
