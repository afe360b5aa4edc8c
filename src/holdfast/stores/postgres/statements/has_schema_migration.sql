SELECT to_regclass('holdfast.schema_migration') IS NOT NULL
