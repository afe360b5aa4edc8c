SELECT number, name, checksum FROM schema_migration ORDER BY number
