SELECT task.tenant, task.id, task.execution_id
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, execution_id)
JOIN holdfast.task USING (tenant, execution_id)
WHERE task.execution_id IS NOT NULL AND task.status IN ('PENDING', 'RUNNING')
