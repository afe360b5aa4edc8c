-- The order is Python's concern.
SELECT json_group_array(
    json_array(event.tenant, event.execution_id, event.sequence, event.type, event.time, CAST(event.data AS TEXT))
)
FROM json_each(:histories) AS wanted
CROSS JOIN event ON event.tenant = wanted.value ->> 0 AND event.execution_id = wanted.value ->> 1
