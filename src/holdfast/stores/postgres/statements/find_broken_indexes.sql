-- What CREATE INDEX CONCURRENTLY leaves behind when it does not come to its end.
SELECT format('DROP INDEX CONCURRENTLY %I.%I', 'holdfast', pg_class.relname)
FROM pg_catalog.pg_index
JOIN pg_catalog.pg_class ON pg_class.oid = pg_index.indexrelid
WHERE pg_class.relnamespace = 'holdfast'::regnamespace AND NOT pg_index.indisvalid
