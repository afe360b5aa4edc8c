SELECT min(instant)
FROM (
    SELECT (SELECT min(wake_at) FROM execution WHERE wake_at IS NOT NULL) AS instant
    UNION ALL
    SELECT (SELECT min(wake_at) FROM task WHERE wake_at IS NOT NULL)
    UNION ALL
    SELECT (SELECT min(fire_at) FROM timer)
    UNION ALL
    SELECT (SELECT min(wake_at) FROM promise WHERE wake_at IS NOT NULL)
    UNION ALL
    SELECT (SELECT min(wake_at) FROM schedule WHERE wake_at IS NOT NULL)
)
