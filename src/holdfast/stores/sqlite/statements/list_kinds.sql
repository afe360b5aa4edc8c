SELECT json_group_array(
    json_array(tenant, sort, name, version, CAST(input_schema AS TEXT), CAST(output_schema AS TEXT), registered_at)
)
FROM (SELECT * FROM kind WHERE tenant = :tenant ORDER BY sort, name)
