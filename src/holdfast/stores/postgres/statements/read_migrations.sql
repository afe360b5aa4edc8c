SELECT number, name, checksum FROM holdfast.schema_migration ORDER BY number
