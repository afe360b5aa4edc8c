INSERT INTO audit_entry (tenant, time, id, caller, verb, subject, outcome)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
FROM json_each(:rows_json)
WHERE TRUE
ON CONFLICT (tenant, time, id) DO UPDATE SET outcome = excluded.outcome
