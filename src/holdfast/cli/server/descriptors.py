"""Descriptors: each connection takes one, and many systems allow a process 1,024 unless it asks for more."""

import logging
from typing import Final

logger = logging.getLogger(__name__)

WANTED: Final = 65_536


def raise_descriptor_limit(wanted: int = WANTED) -> None:
    """Allow this process as many descriptors as it may have, up to so many."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit.
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        logger.info("up to %d descriptors instead of %d", most, soft)
