INSERT INTO activity (tenant, minute, sort, queue, kind, what, size, count, total_ms)
SELECT * FROM (VALUES :rows) WHERE column1 <> -1
ON CONFLICT (tenant, minute, sort, queue, kind, what, size) DO UPDATE
SET count = count + excluded.count, total_ms = total_ms + excluded.total_ms
