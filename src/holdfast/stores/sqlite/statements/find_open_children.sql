SELECT json_group_array(json_array(execution.tenant, execution.id, execution.parent_id))
FROM json_each(:open_items_of) AS wanted
CROSS JOIN execution INDEXED BY execution_child
    ON execution.tenant = wanted.value ->> 0 AND execution.parent_id = wanted.value ->> 1
    AND execution.status IN ('PENDING', 'RUNNING', 'WAITING')
