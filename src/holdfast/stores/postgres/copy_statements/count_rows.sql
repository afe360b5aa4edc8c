SELECT count(*) FROM holdfast.:table
