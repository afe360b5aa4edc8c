DELETE FROM holdfast.state_entry
USING unnest($1::text[], $2::text[], $3::text[]) AS gone (tenant, execution_id, key)
WHERE state_entry.tenant = gone.tenant AND state_entry.execution_id = gone.execution_id AND state_entry.key = gone.key
