SELECT pg_try_advisory_xact_lock(hashtextextended('holdfast.schema_migration', 0))
