INSERT OR REPLACE INTO kind (tenant, sort, name, version, input_schema, output_schema, registered_at)
SELECT column1, column2, column3, column4, nullif(column5, -1), nullif(column6, -1), column7
FROM (VALUES :rows) WHERE column1 <> -1
