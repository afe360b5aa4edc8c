-- For each (tenant, queue, kind): the oldest that may be claimed, as (created_at, id).
SELECT json_group_array(json((
    SELECT json_group_array(json_array(created_at, id))
    FROM (
        SELECT created_at, id FROM execution INDEXED BY execution_claimable
        WHERE tenant = claim.value ->> 0 AND queue = claim.value ->> 1 AND kind = claim.value ->> 2
            AND status = 'PENDING'
        ORDER BY created_at, id
        LIMIT :execution_limit
    )
)))
FROM json_each(:execution_claims) AS claim
