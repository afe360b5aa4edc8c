SELECT pg_notify('holdfast', $1::text)
