SELECT json_group_array(
    json_array(
        flow_version.tenant, flow_version.name, flow_version.version, CAST(flow_version.document AS TEXT),
        flow_version.created_at
    )
)
FROM json_each(:flow_versions) AS wanted
CROSS JOIN flow_version
    ON flow_version.tenant = wanted.value ->> 0 AND flow_version.name = wanted.value ->> 1
    AND flow_version.version = wanted.value ->> 2
