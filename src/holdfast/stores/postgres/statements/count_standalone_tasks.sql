SELECT count(*)
FROM holdfast.task
WHERE tenant = $1 AND execution_id IS NULL
    AND ($2::text IS NULL OR task_type = $2)
    AND ($3::text IS NULL OR queue = $3)
    AND ($4::text[] IS NULL OR status = ANY($4))
