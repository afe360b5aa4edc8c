SELECT fire_at / $3::bigint * $3::bigint AS start, count(*) AS due
FROM holdfast.timer
WHERE tenant = $1 AND fire_at < $2
GROUP BY 1
ORDER BY 1
