-- The next that have ended, in that order: when, who, how many events; and whether a relative may still
-- need it, or one that followed under its id, and is found by it. A parent that had ended before its child has not heard
-- of that one's end; it is told when it is retried.
-- What someone else has locked is being opened again, or removed by another server, and is passed over.
SELECT closed_at, id, last_sequence AS events,
    (
        EXISTS (
            SELECT FROM holdfast.execution AS parent
            WHERE parent.tenant = ended.tenant AND parent.id = ended.parent_id
                AND (ended.status <> 'COMPLETED' OR parent.closed_at <= ended.closed_at)
        )
        OR EXISTS (
            SELECT FROM holdfast.execution AS child
            WHERE child.tenant = ended.tenant AND child.parent_id = ended.id AND child.closed_at IS NULL
        )
        OR EXISTS (
            SELECT FROM holdfast.request_key AS follower
            WHERE follower.tenant = ended.tenant AND follower.scope = 'workflow'
                AND follower.key = chr(10) || 'after ' || ended.id
        )
    )::integer AS needed
FROM holdfast.execution AS ended
WHERE tenant = $1 AND kind = $2 AND closed_at IS NOT NULL AND closed_at < $3 AND (closed_at, id) > ($4, $5)
ORDER BY closed_at, id
LIMIT $6
FOR UPDATE OF ended SKIP LOCKED
