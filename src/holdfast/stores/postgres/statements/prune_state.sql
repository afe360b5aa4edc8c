DELETE FROM holdfast.state_entry WHERE tenant = $1 AND execution_id = ANY ($2::text[])
