SELECT
    flow_version.tenant, flow_version.name, flow_version.version, flow_version.document,
    flow_version.created_at
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted (tenant, name, version)
JOIN holdfast.flow_version USING (tenant, name, version)
