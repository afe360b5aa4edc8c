1 / ((SELECT count(*) FROM :part) = :place::bigint)::int
