SELECT json_group_array(json_array(id, time, tenant, caller, verb, subject, outcome))
FROM (
    SELECT * FROM audit_entry
    WHERE tenant = :tenant AND (time, id) < (:before, :before_id)
    ORDER BY time DESC, id DESC
    LIMIT :limit
)
