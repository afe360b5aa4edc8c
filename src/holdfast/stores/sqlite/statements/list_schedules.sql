SELECT json_group_array(CAST(record AS TEXT))
FROM (
    SELECT record FROM schedule WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit
)
