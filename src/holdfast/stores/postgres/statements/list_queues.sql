SELECT tenant, name, paused_at, changed_by, reason FROM holdfast.queue WHERE tenant = $1 ORDER BY name
