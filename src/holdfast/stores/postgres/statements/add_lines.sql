-- Numbers go on from the last line that the task has; `place` counts the task's lines within the statement.
INSERT INTO holdfast.task_line (tenant, task_id, attempt, time, channel, level, body, number)
SELECT
    told.tenant, told.task_id, told.attempt, told.time, told.channel, told.level, told.body,
    told.place + coalesce(
        (
            SELECT task_line.number
            FROM holdfast.task_line
            WHERE task_line.tenant = told.tenant AND task_line.task_id = told.task_id
            ORDER BY task_line.number DESC
            LIMIT 1
        ),
        0
    )
FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bytea[], $8::bigint[]
) AS told (tenant, task_id, attempt, time, channel, level, body, place)
