SELECT json_group_array(json_array(kind, open))
FROM (
    SELECT kind, count(*) AS open FROM execution INDEXED BY execution_open
    WHERE tenant = :tenant AND closed_at IS NULL
    GROUP BY kind
)
