SELECT count(*) FROM holdfast.timer WHERE tenant = $1
