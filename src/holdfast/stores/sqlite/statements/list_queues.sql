SELECT json_group_array(json_array(tenant, name, paused_at, changed_by, reason))
FROM (SELECT * FROM queue WHERE tenant = :tenant ORDER BY name)
