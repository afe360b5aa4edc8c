-- Under a lock of the tenant's: numbers go on from the last one, in the order in which the rows were made.
WITH fresh AS (
    SELECT id, sum(count) OVER (ORDER BY id) - count AS before
    FROM holdfast.feed
    WHERE tenant = $1 AND first IS NULL
),
newest AS (
    SELECT coalesce(
        (
            SELECT first + count FROM holdfast.feed
            WHERE tenant = $1 AND first IS NOT NULL
            ORDER BY first DESC
            LIMIT 1
        ),
        1
    ) AS next
)
UPDATE holdfast.feed
SET first = newest.next + fresh.before
FROM fresh, newest
WHERE feed.id = fresh.id
