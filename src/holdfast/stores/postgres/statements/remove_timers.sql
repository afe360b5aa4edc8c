DELETE FROM holdfast.timer
USING unnest($1::text[], $2::text[]) AS gone (tenant, id)
WHERE timer.tenant = gone.tenant AND timer.id = gone.id
