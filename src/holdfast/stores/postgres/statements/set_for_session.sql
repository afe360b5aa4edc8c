-- For connections through a pooler, which refuses most settings while it is connected to.
SELECT set_config(name, value, FALSE) FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
