WITH :parts
SELECT :counts, pg_current_xact_id()::xid::text::bigint AS version
