DELETE FROM holdfast.request_key WHERE tenant = $1 AND scope = ANY ($2::text[])
