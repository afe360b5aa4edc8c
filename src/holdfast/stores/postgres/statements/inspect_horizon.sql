-- What keeps VACUUM from removing dead rows: the oldest transaction, and what else may hold a snapshot for long.
SELECT coalesce(extract(EPOCH FROM max(clock_timestamp() - since)), 0)::bigint AS seconds
FROM (
    SELECT xact_start AS since
    FROM pg_catalog.pg_stat_activity
    WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        AND datname = current_database()
    UNION ALL
    SELECT prepared FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()
) AS open
