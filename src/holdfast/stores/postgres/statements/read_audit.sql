SELECT id, time, tenant, caller, verb, subject, outcome
FROM holdfast.audit_entry
WHERE tenant = $1 AND (time, id) < ($2, $3)
ORDER BY time DESC, id DESC
LIMIT $4
