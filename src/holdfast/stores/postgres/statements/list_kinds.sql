SELECT tenant, sort, name, version, input_schema, output_schema, registered_at
FROM holdfast.kind
WHERE tenant = $1
ORDER BY sort, name
