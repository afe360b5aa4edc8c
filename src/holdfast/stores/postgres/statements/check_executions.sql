-- Those that are still as they were seen, and stay so until the end of the transaction.
SELECT 1
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS seen (tenant, id, version)
JOIN holdfast.execution USING (tenant, id)
WHERE execution.xmin::text::bigint = seen.version
ORDER BY execution.tenant, execution.id
FOR UPDATE OF execution
