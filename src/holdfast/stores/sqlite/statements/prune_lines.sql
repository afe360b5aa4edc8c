DELETE FROM task_line
WHERE tenant = :tenant AND task_id IN (SELECT value FROM json_each(:ids))
