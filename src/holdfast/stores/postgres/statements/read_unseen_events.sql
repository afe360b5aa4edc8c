-- Short histories as a whole; of longer ones what the code has not seen, up to a bound.
SELECT event.tenant, event.execution_id, event.sequence, event.type, event.time, event.data
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted (tenant, execution_id, after)
JOIN holdfast.event
    ON event.tenant = wanted.tenant AND event.execution_id = wanted.execution_id AND event.sequence > wanted.after
ORDER BY event.sequence
