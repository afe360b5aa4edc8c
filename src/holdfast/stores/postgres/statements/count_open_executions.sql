SELECT kind, count(*) AS open
FROM holdfast.execution
WHERE tenant = $1 AND closed_at IS NULL
GROUP BY kind
ORDER BY kind
