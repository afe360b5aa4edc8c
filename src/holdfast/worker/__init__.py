"""The worker: it takes claimed work, runs user code, and says how it went."""
