SELECT
    timer.tenant, timer.id, timer.execution_id, timer.fire_at, timer.created_at
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, id)
JOIN holdfast.timer USING (tenant, id)
