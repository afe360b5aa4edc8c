UPDATE flow_frame
SET status = changed.column5,
    ready = changed.column6,
    state = changed.column7,
    result = nullif(changed.column8, -1),
    failure = nullif(changed.column9, -1),
    closed_at = nullif(changed.column10, -1)
FROM (VALUES :rows) AS changed
WHERE flow_frame.tenant = changed.column1 AND flow_frame.execution_id = changed.column2
    AND flow_frame.scope = changed.column3 AND flow_frame.item_index = changed.column4
