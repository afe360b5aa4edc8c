SELECT wanted.tenant, wanted.name, newest.version
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, name)
CROSS JOIN LATERAL (
    SELECT flow_version.version
    FROM holdfast.flow_version
    WHERE flow_version.tenant = wanted.tenant AND flow_version.name = wanted.name
    ORDER BY flow_version.version DESC
    LIMIT 1
) AS newest
