-- Rows whose lock is held: the processes that have the database open and are connected at this moment.
SELECT count(*)
FROM holdfast.session
JOIN pg_catalog.pg_locks ON (pg_locks.classid::bigint << 32 | pg_locks.objid::bigint)
    = ('x' || session.id)::bit(64)::bigint
WHERE pg_locks.locktype = 'advisory' AND pg_locks.objsubid = 1 AND pg_locks.granted
    AND pg_locks.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
