"""Ports: what Holdfast needs of the world, in its own words; the adapters stand in stores, timers and server."""
