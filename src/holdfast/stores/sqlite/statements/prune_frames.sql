DELETE FROM flow_frame
WHERE tenant = :tenant AND execution_id IN (SELECT value FROM json_each(:ids))
