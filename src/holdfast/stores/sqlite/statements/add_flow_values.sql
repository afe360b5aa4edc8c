INSERT INTO flow_value (tenant, execution_id, name, value)
SELECT * FROM (VALUES :rows) WHERE column1 <> -1
