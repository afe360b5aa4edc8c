DELETE FROM holdfast.outbox
WHERE id = ANY($1::text[])
