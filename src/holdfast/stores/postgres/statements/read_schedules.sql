SELECT schedule.record
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, id)
JOIN holdfast.schedule USING (tenant, id)
