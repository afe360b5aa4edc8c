SELECT name, setting FROM pg_catalog.pg_settings WHERE name = ANY($1::text[])
