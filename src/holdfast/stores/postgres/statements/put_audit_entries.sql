INSERT INTO holdfast.audit_entry (tenant, time, id, caller, verb, subject, outcome)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
ON CONFLICT (tenant, time, id) DO UPDATE SET outcome = excluded.outcome
