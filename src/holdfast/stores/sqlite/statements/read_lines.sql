SELECT json_group_array(
    json_array(tenant, task_id, attempt, time, channel, level, CAST(body AS TEXT), number)
)
FROM (
    SELECT * FROM task_line
    WHERE tenant = :tenant AND task_id = :task_id AND number > :after
    ORDER BY number
    LIMIT :limit
)
