SELECT promise.tenant, promise.id, promise.execution_id
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, execution_id)
JOIN holdfast.promise USING (tenant, execution_id)
WHERE promise.status = 'PENDING'
