-- What PostgreSQL knows to be wrong: pages whose checksum did not fit, and indexes that are not used because they broke.
SELECT format('%s pages had a checksum that did not fit', checksum_failures) AS damage
FROM pg_catalog.pg_stat_database
WHERE datname = current_database() AND checksum_failures > 0
UNION ALL
SELECT format('the index %s is not valid; rebuild it with REINDEX', pg_index.indexrelid::regclass)
FROM pg_catalog.pg_index
JOIN pg_catalog.pg_class ON pg_class.oid = pg_index.indexrelid
WHERE pg_class.relnamespace = 'holdfast'::regnamespace AND NOT pg_index.indisvalid
