SELECT
    current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('full_page_writes') AS full_page_writes, current_setting('server_version_num')::int AS version,
    current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS in_recovery
