SELECT timer.tenant, timer.id, timer.execution_id
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, execution_id)
JOIN holdfast.timer USING (tenant, execution_id)
