SELECT json_group_array(
    json_array(
        execution.tenant, execution.id, execution.kind, execution.queue, CAST(execution.input AS TEXT),
        CAST(execution.metadata AS TEXT), execution.parent_id, execution.child_name, execution.created_at,
        execution.deadline_at, execution.status, execution.last_sequence, execution.seen_sequence,
        execution.open_items, execution.claim_token, execution.worker_id, execution.lease_expires_at,
        execution.wake_at, execution.cancel_requested, CAST(execution.output AS TEXT),
        CAST(execution.failure AS TEXT), execution.failure_type, execution.closed_at
    )
)
FROM json_each(:executions) AS wanted
CROSS JOIN execution ON execution.tenant = wanted.value ->> 0 AND execution.id = wanted.value ->> 1
