SELECT json_group_array(json_array(scope, item_index, CAST(state AS TEXT)))
FROM (
    SELECT scope, item_index, state
    FROM flow_frame
    WHERE
        tenant = :tenant AND execution_id = :execution_id AND (scope, item_index) > (:scope, :item_index)
        AND scope < :beyond
    ORDER BY scope, item_index
    LIMIT :limit
)
