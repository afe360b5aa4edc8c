SELECT json_group_array(json_array(tenant, minute, sort, queue, kind, what, size, count, total_ms))
FROM (
    SELECT * FROM activity WHERE tenant = :tenant AND minute >= :since_minute
    ORDER BY minute, sort, queue, kind, what, size
)
