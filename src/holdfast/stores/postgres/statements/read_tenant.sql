SELECT id, created_at, status, limits, retention FROM holdfast.tenant WHERE id = $1
