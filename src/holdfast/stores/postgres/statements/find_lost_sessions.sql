-- Sessions whose process is gone: the lock that it held for as long as it was connected belongs to nobody.
SELECT session.id
FROM holdfast.session
WHERE NOT EXISTS (
    SELECT 1
    FROM pg_catalog.pg_locks
    WHERE pg_locks.locktype = 'advisory' AND pg_locks.objsubid = 1 AND pg_locks.granted
        AND pg_locks.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
        AND (pg_locks.classid::bigint << 32 | pg_locks.objid::bigint) = ('x' || session.id)::bit(64)::bigint
)
