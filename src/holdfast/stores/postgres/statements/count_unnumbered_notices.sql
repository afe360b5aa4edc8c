SELECT count(*) FROM holdfast.feed WHERE tenant = $1 AND first IS NULL
