SELECT json_group_array(json_array(slot * :step_ms, due))
FROM (
    SELECT fire_at / :step_ms AS slot, count(*) AS due FROM timer INDEXED BY timer_due
    WHERE fire_at < :until AND tenant = :tenant
    GROUP BY slot
    ORDER BY slot
)
