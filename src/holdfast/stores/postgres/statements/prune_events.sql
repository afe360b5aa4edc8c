DELETE FROM holdfast.event WHERE tenant = $1 AND execution_id = ANY ($2::text[])
