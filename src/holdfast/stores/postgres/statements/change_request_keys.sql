UPDATE holdfast.request_key
SET subject = changed.subject,
    created_at = changed.created_at
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS changed (
    tenant, scope, key, subject, created_at
)
WHERE request_key.tenant = changed.tenant AND request_key.scope = changed.scope AND request_key.key = changed.key
