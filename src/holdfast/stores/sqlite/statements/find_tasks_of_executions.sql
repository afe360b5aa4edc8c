SELECT json_group_array(id)
FROM task INDEXED BY task_of_execution
WHERE tenant = :tenant AND execution_id IN (SELECT value FROM json_each(:ids))
