-- Nobody is told while nobody else is there to hear.
SELECT pg_notify('holdfast', $1::text) WHERE (SELECT count(*) FROM holdfast.session) > 1
