"""A browser for tests: Debian's Chromium, as it can be run in a container."""

from pathlib import Path

from tests.services.installing import program

# The network of a test machine is closed: what a browser asks for at its own account would only fail, many times over.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> Path:
    """Where it is; it is installed if it is missing."""
    return program("chromium", package="chromium")
