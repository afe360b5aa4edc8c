SELECT json_group_array(json_array(queue.tenant, queue.name, paused_at, changed_by, reason))
FROM json_each(:queues) AS wanted
CROSS JOIN queue ON queue.tenant = wanted.value ->> 0 AND queue.name = wanted.value ->> 1
