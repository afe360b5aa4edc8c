INSERT INTO event (tenant, execution_id, sequence, type, time, data)
SELECT * FROM (VALUES :rows) WHERE column1 <> -1
