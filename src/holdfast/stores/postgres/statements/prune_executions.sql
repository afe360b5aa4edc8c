DELETE FROM holdfast.execution WHERE tenant = $1 AND id = ANY ($2::text[])
