"""Execution queues: the database, or a broker that it stands behind."""
