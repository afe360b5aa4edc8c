SELECT
    execution.tenant, execution.id, execution.kind, execution.queue, execution.input, execution.metadata,
    execution.parent_id, execution.child_name, execution.created_at, execution.deadline_at, execution.status,
    execution.last_sequence, execution.seen_sequence, execution.open_items, execution.claim_token,
    execution.worker_id, execution.lease_expires_at, execution.wake_at, execution.cancel_requested,
    execution.output, execution.failure, execution.failure_type, execution.closed_at
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, id)
JOIN holdfast.execution USING (tenant, id)
