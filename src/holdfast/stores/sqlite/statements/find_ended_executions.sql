-- The next that have ended, in that order: when, who, how many events; and whether a relative may still
-- need it, or one that followed under its id, and is found by it. A parent that had ended before its child has not heard
-- of that one's end; it is told when it is retried.
SELECT json_group_array(json_array(closed_at, id, last_sequence, needed))
FROM (
    SELECT closed_at, id, last_sequence,
        EXISTS (
            SELECT 1 FROM execution AS parent
            WHERE parent.tenant = ended.tenant AND parent.id = ended.parent_id
                AND (ended.status <> 'COMPLETED' OR parent.closed_at <= ended.closed_at)
        )
        OR EXISTS (
            SELECT 1 FROM execution AS child INDEXED BY execution_child
            WHERE child.tenant = ended.tenant AND child.parent_id = ended.id AND child.closed_at IS NULL
        )
        OR EXISTS (
            SELECT 1 FROM request_key AS follower
            WHERE follower.tenant = ended.tenant AND follower.scope = 'workflow'
                AND follower.key = char(10) || 'after ' || ended.id
        ) AS needed
    FROM execution AS ended INDEXED BY execution_ended
    WHERE tenant = :tenant AND kind = :name AND closed_at IS NOT NULL AND closed_at < :closed_before
        AND (closed_at, id) > (:after, :after_id)
    ORDER BY closed_at, id
    LIMIT :limit
)
