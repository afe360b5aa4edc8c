SELECT json_group_array(json_array(promise.tenant, promise.id, promise.execution_id))
FROM json_each(:open_items_of) AS wanted
CROSS JOIN promise INDEXED BY promise_name
    ON promise.tenant = wanted.value ->> 0 AND promise.execution_id = wanted.value ->> 1
    AND promise.status = 'PENDING'
