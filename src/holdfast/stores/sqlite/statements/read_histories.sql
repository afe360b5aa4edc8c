SELECT json_group_array(json_array(page, sequence, type, time, data))
FROM (
    SELECT wanted.key AS page, event.sequence, event.type, event.time, CAST(event.data AS TEXT) AS data
    FROM json_each(:pages) AS wanted
    CROSS JOIN event
        ON event.tenant = wanted.value ->> 0 AND event.execution_id = wanted.value ->> 1
        AND event.sequence > wanted.value ->> 2 AND event.sequence <= wanted.value ->> 3
    ORDER BY wanted.key, event.sequence
)
