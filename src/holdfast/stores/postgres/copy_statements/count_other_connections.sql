SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'holdfast' AND pid <> pg_backend_pid()
