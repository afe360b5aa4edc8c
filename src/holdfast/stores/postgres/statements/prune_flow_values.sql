DELETE FROM holdfast.flow_value WHERE tenant = $1 AND execution_id = ANY ($2::text[])
