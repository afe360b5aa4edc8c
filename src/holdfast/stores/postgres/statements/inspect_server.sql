SELECT
    current_setting('server_version') AS version, current_setting('server_version_num')::int AS version_number,
    current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS full_page_writes,
    current_setting('synchronous_commit') AS synchronous_commit, current_setting('autovacuum') AS autovacuum,
    current_setting('default_transaction_read_only') = 'on' AS read_only, pg_is_in_recovery() AS in_recovery,
    current_setting('max_connections')::int AS most_connections,
    (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend') AS connections,
    pg_backend_pid() AS process, pg_database_size(current_database()) AS bytes,
    has_database_privilege(current_database(), 'CREATE') AS may_create
