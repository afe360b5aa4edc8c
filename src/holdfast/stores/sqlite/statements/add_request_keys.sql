INSERT INTO request_key (tenant, scope, key, subject, created_at)
SELECT * FROM (VALUES :rows) WHERE column1 <> -1
ON CONFLICT (tenant, scope, key) DO UPDATE SET subject = excluded.subject, created_at = excluded.created_at
