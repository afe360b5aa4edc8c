INSERT INTO outbox (id, topic, created_at, body)
SELECT * FROM (VALUES :rows) WHERE column1 <> -1
