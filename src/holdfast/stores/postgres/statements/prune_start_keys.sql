DELETE FROM holdfast.request_key WHERE tenant = $1 AND scope = 'workflow' AND subject = ANY ($2::text[])
