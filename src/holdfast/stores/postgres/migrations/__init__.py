"""The history of the schema in PostgreSQL."""
