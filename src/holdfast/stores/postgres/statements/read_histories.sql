SELECT wanted.place, event.sequence, event.type, event.time, event.data
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
    WITH ORDINALITY AS wanted (tenant, execution_id, after, until, place)
JOIN holdfast.event
    ON event.tenant = wanted.tenant AND event.execution_id = wanted.execution_id
    AND event.sequence > wanted.after AND event.sequence <= wanted.until
ORDER BY wanted.place, event.sequence
