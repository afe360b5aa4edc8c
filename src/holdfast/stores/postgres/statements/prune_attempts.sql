DELETE FROM holdfast.task_attempt WHERE tenant = $1 AND task_id = ANY ($2::text[])
