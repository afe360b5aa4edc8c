SELECT held.name, info.name, info.type
FROM sqlite_master AS held
JOIN pragma_table_info(held.name) AS info
WHERE held.type = 'table' AND held.name <> 'schema_migration' AND held.name NOT LIKE 'sqlite%'
ORDER BY held.name, info.cid
