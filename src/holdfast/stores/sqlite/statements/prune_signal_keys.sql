DELETE FROM request_key
WHERE tenant = :tenant AND scope IN (SELECT 'signal:' || value FROM json_each(:ids))
