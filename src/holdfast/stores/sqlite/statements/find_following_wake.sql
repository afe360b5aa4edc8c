-- What is due next, after all that is due now; as JSON, like the answers that it stands beside.
SELECT coalesce(min(instant), 'null') || ''
FROM (
    SELECT (SELECT min(wake_at) FROM execution WHERE wake_at > :now) AS instant
    UNION ALL
    SELECT (SELECT min(wake_at) FROM task WHERE wake_at > :now)
    UNION ALL
    SELECT (SELECT min(fire_at) FROM timer WHERE fire_at > :now)
    UNION ALL
    SELECT (SELECT min(wake_at) FROM promise WHERE wake_at > :now)
    UNION ALL
    SELECT (SELECT min(wake_at) FROM schedule WHERE wake_at > :now)
)
