-- Only what may change is changed: a key keeps its tenant, its roles and its secret for as long as it lives.
INSERT INTO holdfast.access_key (id, tenant, roles, name, digest, created_at, created_by, expires_at, revoked_at)
SELECT *
FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::bigint[], $7::text[], $8::bigint[],
    $9::bigint[]
)
ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at
