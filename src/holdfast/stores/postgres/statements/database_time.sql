SELECT (extract(EPOCH FROM clock_timestamp()) * 1000000)::bigint
