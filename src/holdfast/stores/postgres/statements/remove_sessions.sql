DELETE FROM holdfast.session WHERE id = ANY($1::text[])
