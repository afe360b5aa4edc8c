(SELECT count(*) FROM :part)
