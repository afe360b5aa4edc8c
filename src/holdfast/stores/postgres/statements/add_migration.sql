INSERT INTO holdfast.schema_migration (number, name, checksum) VALUES ($1, $2, $3)
