"""The statements of the PostgreSQL store."""
