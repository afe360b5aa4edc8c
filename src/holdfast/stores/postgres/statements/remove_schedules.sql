DELETE FROM holdfast.schedule
USING unnest($1::text[], $2::text[]) AS gone (tenant, id)
WHERE schedule.tenant = gone.tenant AND schedule.id = gone.id
