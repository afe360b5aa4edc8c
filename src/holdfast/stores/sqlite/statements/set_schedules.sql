INSERT OR REPLACE INTO schedule (tenant, id, wake_at, record)
SELECT column1, column2, nullif(column3, -1), column4 FROM (VALUES :rows) WHERE column1 <> -1
