INSERT INTO holdfast.task_attempt (
    tenant, task_id, attempt, started_at, finished_at, status, worker_id, output, failure
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bytea[],
    $9::bytea[]
)
