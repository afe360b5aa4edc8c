-- For each (tenant, queue, task type): the first that may be claimed, as (rank, id).
SELECT json_group_array(json((
    SELECT json_group_array(json_array(rank, id))
    FROM (
        SELECT coalesce(scheduled_at, created_at) - priority * 60000 AS rank, id
        FROM task INDEXED BY task_claimable
        WHERE tenant = claim.value ->> 0 AND queue = claim.value ->> 1 AND task_type = claim.value ->> 2
            AND ready = 1
        ORDER BY coalesce(scheduled_at, created_at) - priority * 60000, id
        LIMIT :task_limit
    )
)))
FROM json_each(:task_claims) AS claim
