SELECT
    flow_value.tenant, flow_value.execution_id, flow_value.name, flow_value.value
FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (tenant, execution_id, name)
JOIN holdfast.flow_value USING (tenant, execution_id, name)
