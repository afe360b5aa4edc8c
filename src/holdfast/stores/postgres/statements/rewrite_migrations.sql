UPDATE holdfast.schema_migration SET name = name
