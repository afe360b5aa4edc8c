SELECT EXISTS (SELECT 1 FROM holdfast.access_key WHERE revoked_at IS NULL)
