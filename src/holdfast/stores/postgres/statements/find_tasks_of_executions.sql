SELECT id FROM holdfast.task WHERE tenant = $1 AND execution_id = ANY ($2::text[])
