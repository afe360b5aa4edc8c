SELECT json_group_array(json_array(request_key.tenant, request_key.scope, request_key.key, request_key.subject))
FROM json_each(:request_keys) AS wanted
CROSS JOIN request_key
    ON request_key.tenant = wanted.value ->> 0 AND request_key.scope = wanted.value ->> 1
    AND request_key.key = wanted.value ->> 2
