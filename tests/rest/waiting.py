"""Waiting for what a worker brings about."""

import asyncio

from tests.rest.clients import WITHIN, Direct, Reply


async def until(rest: Direct, path: str, status: str) -> Reply:
    """Ask until a record has this status."""
    async with asyncio.timeout(WITHIN):
        while (reply := await rest.get(path)).json["status"] != status:  # noqa: ASYNC110 - it changes behind HTTP
            await asyncio.sleep(0.002)
    return reply


async def until_some(rest: Direct, path: str, name: str, count: int = 1) -> Reply:
    """Ask until a list has so many items."""
    async with asyncio.timeout(WITHIN):
        while len((reply := await rest.get(path)).json[name]) < count:  # noqa: ASYNC110 - it changes behind HTTP
            await asyncio.sleep(0.002)
    return reply


async def status_of(rest: Direct, path: str) -> str:
    return str((await rest.get(path)).json["status"])
