-- For connections that a pooler shares out by transaction: nothing of a session stays with them.
SELECT set_config(name, value, TRUE) FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
