SELECT json_group_array(json_array(task.tenant, task.id, task.execution_id))
FROM json_each(:open_items_of) AS wanted
CROSS JOIN task INDEXED BY task_of_execution
    ON task.tenant = wanted.value ->> 0 AND task.execution_id = wanted.value ->> 1
    AND task.status IN ('PENDING', 'RUNNING')
