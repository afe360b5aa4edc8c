UPDATE schema_migration SET name = name
