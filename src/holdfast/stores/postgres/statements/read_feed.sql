-- The row that holds the notice after $2, and those that follow it.
SELECT first, time, notices
FROM holdfast.feed
WHERE tenant = $1
    AND first >= coalesce(
        (
            SELECT first FROM holdfast.feed
            WHERE tenant = $1 AND first <= $2::bigint + 1
            ORDER BY first DESC
            LIMIT 1
        ),
        0
    )
ORDER BY first
LIMIT $3
