-- For each (tenant, queue, task type): the first that may be claimed, as (rank, id). See model/ranks.py.
SELECT json_group_array(json((
    SELECT json_group_array(json_array(rank, id))
    FROM (
        SELECT
            CASE
                WHEN scheduled_at IS NULL THEN created_at
                WHEN scheduled_at >= created_at THEN scheduled_at + 50000
                ELSE created_at / 10000 * 10000 + 45000
                    - min((created_at / 10000 * 10000 + 10000 - scheduled_at) / 1000, 20000)
            END - priority * 60000 AS rank,
            id
        FROM task INDEXED BY task_claimable
        WHERE tenant = claim.value ->> 0 AND queue = claim.value ->> 1 AND task_type = claim.value ->> 2
            AND ready = 1
        ORDER BY rank, id
        LIMIT :task_limit
    )
)))
FROM json_each(:task_claims) AS claim
