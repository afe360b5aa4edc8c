CREATE TABLE IF NOT EXISTS schema_migration (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL
) STRICT
