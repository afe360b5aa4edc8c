SELECT tenant, task_id, attempt, time, channel, level, body, number
FROM holdfast.task_line
WHERE tenant = $1 AND task_id = $2 AND number > $3
ORDER BY number
LIMIT $4
