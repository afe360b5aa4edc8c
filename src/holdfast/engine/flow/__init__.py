"""Flows: JSON graphs of nodes and edges; their definition, whether it is sound, and what each node does."""
