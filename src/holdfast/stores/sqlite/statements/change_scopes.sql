UPDATE flow_scope
SET opened = changed.column4,
    ended = changed.column5,
    failed = changed.column6,
    ready = changed.column7,
    closed_at = nullif(changed.column8, -1)
FROM (VALUES :rows) AS changed
WHERE flow_scope.tenant = changed.column1 AND flow_scope.execution_id = changed.column2
    AND flow_scope.path = changed.column3
