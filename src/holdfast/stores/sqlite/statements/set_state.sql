INSERT OR REPLACE INTO state_entry (tenant, execution_id, key, value)
SELECT * FROM (VALUES :rows) WHERE column1 <> -1
