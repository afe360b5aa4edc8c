"""The facade: what users open and hold, joining an engine, a worker and handles."""
