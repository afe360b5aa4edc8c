"""Metrics: what a server counts of itself, for Prometheus."""
