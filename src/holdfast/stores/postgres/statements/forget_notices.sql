DELETE FROM holdfast.feed
WHERE tenant = $1 AND first + count <= (
    SELECT first + count FROM holdfast.feed
    WHERE tenant = $1 AND first IS NOT NULL
    ORDER BY first DESC
    LIMIT 1
) - $2
