"""An index of timers in Redis."""
