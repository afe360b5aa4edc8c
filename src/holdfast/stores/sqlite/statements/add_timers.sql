INSERT INTO timer (tenant, id, execution_id, fire_at, created_at)
SELECT * FROM (VALUES :rows) WHERE column1 <> -1
