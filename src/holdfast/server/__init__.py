"""The host: it gives the engine a store, a clock, a scheduler and workers to serve, in this process or over a wire."""
