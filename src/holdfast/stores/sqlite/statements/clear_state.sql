DELETE FROM state_entry
WHERE (tenant, execution_id, key) IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:keys))
