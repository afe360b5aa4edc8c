DELETE FROM execution
WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids))
