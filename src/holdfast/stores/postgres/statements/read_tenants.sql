SELECT id, created_at, status, limits, retention FROM holdfast.tenant ORDER BY id
