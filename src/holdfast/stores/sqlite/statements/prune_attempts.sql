DELETE FROM task_attempt
WHERE tenant = :tenant AND task_id IN (SELECT value FROM json_each(:ids))
