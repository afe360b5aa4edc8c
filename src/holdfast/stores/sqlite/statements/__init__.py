"""The statements of the SQLite store."""
