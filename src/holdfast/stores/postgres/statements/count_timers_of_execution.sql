SELECT count(*) FROM holdfast.timer WHERE tenant = $1 AND execution_id = $2
