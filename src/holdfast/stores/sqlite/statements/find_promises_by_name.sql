-- For each name, the one that was created last.
SELECT json_group_array((
    SELECT id FROM promise
    WHERE tenant = wanted.value ->> 0 AND execution_id = wanted.value ->> 1 AND name = wanted.value ->> 2
    ORDER BY created_at DESC, id DESC
    LIMIT 1
))
FROM json_each(:promise_names) AS wanted
