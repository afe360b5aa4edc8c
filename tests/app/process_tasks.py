"""Tasks that run in processes of their own; these import this module."""

import os
import sys
import time
from pathlib import Path

from holdfast import TaskContext, task


@task(executor="process", retries=0)
def squared(ctx: TaskContext, number: int) -> tuple[int, int, int]:
    return number * number, os.getpid(), ctx.attempt


@task(executor="process", retries=0)
def raising(text: str) -> None:
    raise LookupError(text)


@task(executor="process", retries=0)
def dying() -> None:
    os._exit(9)


@task(executor="process", retries=0)
def exiting() -> None:
    sys.exit(3)


@task(executor="process", retries=0)
def reporting(ctx: TaskContext) -> None:
    ctx.progress(0.5)


@task(executor="process", retries=0)
def logging_only(ctx: TaskContext) -> str:
    ctx.logger.info("kept in the log of that process")
    return "logged"


@task(executor="process", retries=0)
def hanging(begun: str) -> None:
    Path(begun).touch()
    time.sleep(3_600)


class Shop:
    """Its method has no address that another process could find."""

    @task(executor="process", retries=0)
    def sell(self, what: str) -> str:
        return what
