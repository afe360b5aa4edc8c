SELECT json_group_array(json_array(tenant, name, version, CAST(document AS TEXT), created_at))
FROM (
    SELECT *
    FROM flow_version AS newest
    WHERE tenant = :tenant AND name > :after
        AND version = (SELECT max(version) FROM flow_version WHERE tenant = newest.tenant AND name = newest.name)
    ORDER BY name
    LIMIT :limit
)
