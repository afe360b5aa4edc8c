"""Limits of messages and connections, shared by all services."""

from typing import Final

MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""An activation may schedule many tasks, and comes as one message."""

KEEPALIVE_MS: Final = 20_000
KEEPALIVE_TIMEOUT_MS: Final = 10_000
"""A peer that does not answer a ping for so long is gone."""
SHORTEST_PING_MS: Final = 5_000
"""Clients that ping more often are cut off."""
