DELETE FROM feed
WHERE tenant = :tenant AND first + count
    <= (SELECT first + count FROM feed WHERE tenant = :tenant ORDER BY first DESC LIMIT 1) - :kept
    AND first <= (SELECT first FROM feed WHERE tenant = :tenant ORDER BY first DESC LIMIT 1) - :kept
