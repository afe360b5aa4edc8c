-- One answer for each name, in their order.
SELECT json_group_array(
    (
        SELECT max(flow_version.version)
        FROM flow_version
        WHERE flow_version.tenant = wanted.value ->> 0 AND flow_version.name = wanted.value ->> 1
    )
)
FROM json_each(:newest_flows) AS wanted
