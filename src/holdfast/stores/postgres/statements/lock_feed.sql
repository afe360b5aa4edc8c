SELECT pg_advisory_xact_lock(hashtextextended('holdfast.feed/' || $1, 0))
