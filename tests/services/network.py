"""Addresses for private servers: on the loopback interface only."""

import socket

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
    return port
