SELECT queue.tenant, queue.name, queue.paused_at, queue.changed_by, queue.reason
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, name)
JOIN holdfast.queue USING (tenant, name)
