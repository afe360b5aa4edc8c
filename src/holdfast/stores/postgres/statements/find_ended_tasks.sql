-- The next standalone tasks that have ended, in that order: when, and who.
SELECT closed_at, id, 0 AS events, 0 AS needed
FROM holdfast.task
WHERE tenant = $1 AND task_type = $2 AND execution_id IS NULL AND closed_at IS NOT NULL AND closed_at < $3
    AND (closed_at, id) > ($4, $5)
ORDER BY closed_at, id
LIMIT $6
FOR UPDATE SKIP LOCKED
