SELECT json_group_array(
    json_array(timer.tenant, timer.id, timer.execution_id, timer.fire_at, timer.created_at)
)
FROM json_each(:timers) AS wanted
CROSS JOIN timer ON timer.tenant = wanted.value ->> 0 AND timer.id = wanted.value ->> 1
