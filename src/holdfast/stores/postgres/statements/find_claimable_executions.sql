-- For each (tenant, queue, kind): the oldest that may be claimed. What another server has locked is passed over.
SELECT claim.place, found.created_at, found.id
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS claim (tenant, queue, kind, place)
CROSS JOIN LATERAL (
    SELECT execution.created_at, execution.id
    FROM holdfast.execution
    WHERE execution.tenant = claim.tenant AND execution.queue = claim.queue AND execution.kind = claim.kind
        AND execution.status = 'PENDING'
    ORDER BY execution.created_at, execution.id
    LIMIT $4
    FOR UPDATE SKIP LOCKED
) AS found
