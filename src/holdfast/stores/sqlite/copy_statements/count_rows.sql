SELECT count(*) FROM :table
