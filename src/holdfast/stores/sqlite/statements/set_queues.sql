INSERT OR REPLACE INTO queue (tenant, name, paused_at, changed_by, reason)
SELECT column1, column2, nullif(column3, -1), column4, column5 FROM (VALUES :rows) WHERE column1 <> -1
