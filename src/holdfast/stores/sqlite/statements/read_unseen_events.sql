-- Short histories as a whole; of longer ones what the code has not seen, up to a bound; the order is Python's concern.
SELECT json_group_array(
    json_array(event.tenant, event.execution_id, event.sequence, event.type, event.time, CAST(event.data AS TEXT))
)
FROM json_each(:claimed) AS wanted
CROSS JOIN execution ON execution.tenant = wanted.value ->> 0 AND execution.id = wanted.value ->> 1
CROSS JOIN event
    ON event.tenant = execution.tenant AND event.execution_id = execution.id
    AND event.sequence > CASE
        WHEN execution.last_sequence <= :short_history THEN 0
        ELSE max(execution.seen_sequence, execution.last_sequence - :most_unseen)
    END
