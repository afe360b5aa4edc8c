SELECT worker_id, 'workflow', id, kind, NULL::text, NULL::bigint, 0.0::double precision
FROM holdfast.execution
WHERE status = 'RUNNING' AND worker_id > '' AND tenant = $1
ORDER BY worker_id
LIMIT $2
