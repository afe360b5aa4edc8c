-- Only what may change is changed: a key keeps its tenant, its roles and its secret for as long as it lives.
INSERT INTO access_key (id, tenant, roles, name, digest, created_at, created_by, expires_at, revoked_at)
SELECT
    value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8
FROM json_each(:rows_json)
WHERE TRUE
ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at
