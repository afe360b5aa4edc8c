SELECT json_group_array(json_array(key, CAST(value AS TEXT)))
FROM (SELECT key, value FROM state_entry WHERE tenant = :tenant AND execution_id = :execution_id ORDER BY key)
