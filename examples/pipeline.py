"""A data pipeline: clean 1,000 records in parallel tasks, with progress that anyone can read, then add them up.

    python examples/pipeline.py

Kill it in the middle and run it again: only records that were under way at that moment are cleaned a second time.
"""

import asyncio
import os
import sys
from dataclasses import dataclass

from holdfast import Holdfast, WorkflowContext, task, workflow

DATABASE = "sqlite:///pipeline.db"
RECORDS = 1_000
TELL_EVERY = 100
LOOK_EVERY_SECONDS = 0.05


@dataclass
class Record:
    number: int
    text: str


@dataclass
class Summary:
    records: int
    total: int


@task(retries=3)
async def clean(record: Record) -> int:
    return int(record.text.strip().removesuffix(" EUR"))


@workflow
async def pipeline(ctx: WorkflowContext, count: int) -> Summary:
    cleaned = [ctx.schedule(clean, Record(number, f"  {number} EUR ")) for number in range(1, count + 1)]
    total = 0
    for done, result in enumerate(asyncio.as_completed(cleaned), start=1):
        total += await result
        if done % TELL_EVERY == 0:
            ctx.set_state("done", done)
    return Summary(count, total)


async def show_progress(hf: Holdfast, execution_id: str) -> None:
    """Reads the workflow's state, as a page or another process would."""
    shown = 0
    while not (await hf.describe(execution_id)).closed:
        done = (await hf.state(execution_id)).get("done", 0)
        if isinstance(done, int) and done > shown:
            shown = done
            print(f"  {done:5} of {RECORDS}")
        await asyncio.sleep(LOOK_EVERY_SECONDS)


async def main(url: str) -> None:
    async with Holdfast.open(url, workflows=[pipeline], tasks=[clean]) as hf:
        handle = await hf.start(pipeline, RECORDS, id="pipeline-1")
        print("the pipeline starts" if handle.created else "the pipeline is known, it goes on from where it stands")
        await show_progress(hf, handle.id)
        summary = await handle.result()
        print(f"result: {summary.records} records, {summary.total} EUR in all")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HOLDFAST_DB", DATABASE)))
