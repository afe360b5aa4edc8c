-- Those that are still as they were seen, and stay so until the end of the transaction.
SELECT 1
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS seen (tenant, id, version)
JOIN holdfast.task USING (tenant, id)
WHERE task.xmin::text::bigint = seen.version
ORDER BY task.tenant, task.id
FOR UPDATE OF task
