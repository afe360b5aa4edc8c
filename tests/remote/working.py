"""A worker as a process, for tests that kill it: `python -m tests.remote.working URL`."""

import asyncio
import sys

from holdfast import Holdfast
from tests.remote.programs import slow


async def main(url: str) -> None:
    async with Holdfast.connect(url, tasks=[slow]):
        print("working", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
