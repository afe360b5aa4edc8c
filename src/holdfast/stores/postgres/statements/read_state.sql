SELECT key, value FROM holdfast.state_entry WHERE tenant = $1 AND execution_id = $2 ORDER BY key
