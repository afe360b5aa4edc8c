-- The row that holds the notice after :after, and those that follow it.
SELECT json_group_array(json_array(first, time, json(CAST(notices AS TEXT))))
FROM (
    SELECT first, time, notices FROM feed
    WHERE tenant = :tenant
        AND first >= coalesce(
            (SELECT first FROM feed WHERE tenant = :tenant AND first <= :after + 1 ORDER BY first DESC LIMIT 1), 0
        )
    ORDER BY first
    LIMIT :most
)
