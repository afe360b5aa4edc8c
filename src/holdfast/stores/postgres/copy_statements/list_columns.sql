SELECT table_name, column_name, data_type
FROM information_schema.columns
WHERE table_schema = 'holdfast' AND table_name NOT IN ('schema_migration', 'session') AND is_identity = 'NO'
ORDER BY table_name, ordinal_position
