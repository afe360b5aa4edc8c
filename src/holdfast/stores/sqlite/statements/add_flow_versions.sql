INSERT INTO flow_version (tenant, name, version, document, created_at)
SELECT * FROM (VALUES :rows) WHERE column1 <> -1
