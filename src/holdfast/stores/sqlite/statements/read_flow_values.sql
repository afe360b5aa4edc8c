SELECT json_group_array(
    json_array(flow_value.tenant, flow_value.execution_id, flow_value.name, CAST(flow_value.value AS TEXT))
)
FROM json_each(:flow_values) AS wanted
CROSS JOIN flow_value
    ON flow_value.tenant = wanted.value ->> 0 AND flow_value.execution_id = wanted.value ->> 1
    AND flow_value.name = wanted.value ->> 2
