SELECT execution.tenant, execution.id, execution.parent_id
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, parent_id)
JOIN holdfast.execution USING (tenant, parent_id)
WHERE execution.parent_id IS NOT NULL AND execution.status IN ('PENDING', 'RUNNING', 'WAITING')
