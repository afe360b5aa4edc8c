-- One step in the index for each kind, however many executions of it there are.
WITH RECURSIVE ended (kind) AS (
    SELECT min(kind) FROM execution INDEXED BY execution_ended WHERE tenant = :tenant AND closed_at IS NOT NULL
    UNION ALL
    SELECT (
        SELECT min(execution.kind) FROM execution INDEXED BY execution_ended
        WHERE tenant = :tenant AND execution.kind > ended.kind AND closed_at IS NOT NULL
    )
    FROM ended
    WHERE ended.kind IS NOT NULL
)
SELECT json_group_array(kind) FROM ended WHERE kind IS NOT NULL
