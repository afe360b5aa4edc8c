SELECT
    pg_class.relname AS name, pg_total_relation_size(pg_class.oid) AS bytes, stat.n_live_tup AS live,
    stat.n_dead_tup AS dead, stat.n_tup_upd AS updates, stat.n_tup_hot_upd AS updates_in_place,
    coalesce(pg_class.reloptions::text LIKE '%autovacuum_enabled=false%', false) AS vacuum_off
FROM pg_catalog.pg_stat_user_tables AS stat
JOIN pg_catalog.pg_class ON pg_class.oid = stat.relid
WHERE stat.schemaname = 'holdfast'
ORDER BY bytes DESC
