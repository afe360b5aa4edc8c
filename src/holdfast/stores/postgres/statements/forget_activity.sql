DELETE FROM holdfast.activity
USING unnest($1::text[], $2::bigint[]) AS old (tenant, minute)
WHERE activity.tenant = old.tenant AND activity.minute < old.minute
