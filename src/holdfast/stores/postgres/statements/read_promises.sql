SELECT
    promise.tenant, promise.id, promise.execution_id, promise.name, promise.created_at, promise.status,
    promise.wake_at, promise.closed_at
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, id)
JOIN holdfast.promise USING (tenant, id)
