-- online
-- The order in which tasks are given to workers (model/ranks.py): priority, never scheduled before scheduled, since when.
CREATE INDEX CONCURRENTLY IF NOT EXISTS task_in_order ON holdfast.task (
    tenant,
    queue,
    task_type,
    (CASE
        WHEN scheduled_at IS NULL THEN created_at
        WHEN scheduled_at >= created_at THEN scheduled_at + 50000
        ELSE created_at / 10000 * 10000 + 45000
            - least((created_at / 10000 * 10000 + 10000 - scheduled_at) / 1000, 20000)
    END - priority * 60000),
    id
) WHERE ready;
DROP INDEX CONCURRENTLY IF EXISTS holdfast.task_claimable;
