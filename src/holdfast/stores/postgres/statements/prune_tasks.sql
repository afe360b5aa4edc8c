DELETE FROM holdfast.task WHERE tenant = $1 AND id = ANY ($2::text[])
