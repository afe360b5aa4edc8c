INSERT INTO schema_migration (number, name, checksum) VALUES (:number, :name, :checksum)
