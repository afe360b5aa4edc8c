-- For each (tenant, queue, kind): the oldest that may be claimed, from an instant on. What another server has locked is
-- passed over.
SELECT claim.place, found.created_at, found.id
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY
    AS claim (tenant, queue, kind, start, place)
CROSS JOIN LATERAL (
    SELECT execution.created_at, execution.id
    FROM holdfast.execution
    WHERE execution.tenant = claim.tenant AND execution.queue = claim.queue AND execution.kind = claim.kind
        AND execution.status = 'PENDING' AND execution.created_at >= claim.start
    ORDER BY execution.created_at, execution.id
    LIMIT $5
    FOR UPDATE SKIP LOCKED
) AS found
