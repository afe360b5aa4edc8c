SELECT
    coalesce(
        (SELECT first FROM holdfast.feed WHERE tenant = $1 AND first IS NOT NULL ORDER BY first LIMIT 1), 1
    ) AS oldest,
    coalesce(
        (
            SELECT first + count - 1 FROM holdfast.feed
            WHERE tenant = $1 AND first IS NOT NULL
            ORDER BY first DESC
            LIMIT 1
        ),
        0
    ) AS newest
