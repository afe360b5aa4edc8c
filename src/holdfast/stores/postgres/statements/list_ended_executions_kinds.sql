-- One step in the index for each kind, however many executions of it there are.
WITH RECURSIVE ended (kind) AS (
    (
        SELECT kind FROM holdfast.execution
        WHERE tenant = $1 AND closed_at IS NOT NULL
        ORDER BY kind
        LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT execution.kind FROM holdfast.execution
        WHERE tenant = $1 AND execution.kind > ended.kind AND closed_at IS NOT NULL
        ORDER BY execution.kind
        LIMIT 1
    )
    FROM ended
    WHERE ended.kind IS NOT NULL
)
SELECT kind AS name FROM ended WHERE kind IS NOT NULL
