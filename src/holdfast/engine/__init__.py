"""The engine: pure decisions over loaded rows. No clock, no chance of its own, no I/O, no asyncio."""
