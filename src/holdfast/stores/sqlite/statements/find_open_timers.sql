SELECT json_group_array(json_array(timer.tenant, timer.id, timer.execution_id))
FROM json_each(:open_items_of) AS wanted
CROSS JOIN timer INDEXED BY timer_of_execution
    ON timer.tenant = wanted.value ->> 0 AND timer.execution_id = wanted.value ->> 1
