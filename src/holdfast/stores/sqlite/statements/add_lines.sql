-- Numbers go on from the last line that the task has; column8 counts the task's lines within the statement.
INSERT INTO task_line (tenant, task_id, attempt, time, channel, level, body, number)
SELECT
    column1, column2, column3, column4, column5, nullif(column6, -1), column7,
    column8 + coalesce(
        (SELECT max(number) FROM task_line WHERE tenant = column1 AND task_id = column2), 0
    )
FROM (VALUES :rows) WHERE column1 <> -1
