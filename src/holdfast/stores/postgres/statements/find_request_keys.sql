SELECT request_key.tenant, request_key.scope, request_key.key, request_key.subject
FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (tenant, scope, key)
JOIN holdfast.request_key USING (tenant, scope, key)
ORDER BY request_key.tenant, request_key.scope, request_key.key
FOR UPDATE OF request_key
