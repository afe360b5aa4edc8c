-- The same lock, kept by the connection and not by a transaction.
SELECT pg_try_advisory_lock(hashtextextended('holdfast.schema_migration', 0))
