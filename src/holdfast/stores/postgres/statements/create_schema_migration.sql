CREATE TABLE IF NOT EXISTS holdfast.schema_migration (
    number bigint PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
