DELETE FROM request_key INDEXED BY request_key_of_start
WHERE tenant = :tenant AND scope = 'workflow' AND subject IN (SELECT value FROM json_each(:ids))
