SELECT least(
    (SELECT min(wake_at) FROM holdfast.execution WHERE wake_at IS NOT NULL),
    (SELECT min(wake_at) FROM holdfast.task WHERE wake_at IS NOT NULL),
    (SELECT min(fire_at) FROM holdfast.timer),
    (SELECT min(wake_at) FROM holdfast.promise WHERE wake_at IS NOT NULL),
    (SELECT min(wake_at) FROM holdfast.schedule WHERE wake_at IS NOT NULL)
)
