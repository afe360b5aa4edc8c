"""The nodes' bodies, called as a worker calls them."""

import msgspec

from holdfast.model.commands import DEFAULT_TASK_OPTIONS
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ClaimToken, TaskId
from holdfast.model.instants import Instant
from holdfast.model.requests import TaskClaim
from holdfast.sdk.definitions import TaskDefinition
from holdfast.sdk.secrets import EnvironmentSecrets
from holdfast.sdk.task_context import TaskContext
from tests.worker.support import NOW

KEY = "018f3c1e-5a7b-8c3d-9e2f-000000100000"
SECRETS = EnvironmentSecrets(
    {
        "HOLDFAST_SECRET_API_KEY": 'hush"hush 7',
        "HOLDFAST_SECRET_PASSWORD": "correct horse",
        "HOLDFAST_SECRET_SHORT": "ab",
    }
)


class Silent:
    """Takes reports."""

    def report(self, **_: object) -> None:
        """Nothing is done with it."""

    def line(self, channel: str, level: str | None, body: bytes) -> None:
        """Nothing is done with it."""


async def run(task: TaskDefinition[..., object], request: object, **secrets: str) -> object:
    """What the body gives for an input that came over the wire."""
    data = msgspec.json.encode({"request": request, "secrets": secrets})
    claim = TaskClaim(
        DEFAULT_TENANT, TaskId(KEY), None, task.name, DEFAULT_QUEUE, ClaimToken(1), 1, data, DEFAULT_TASK_OPTIONS,
        None, Instant(NOW), Instant(NOW),
    )  # fmt: skip
    made = task.bound_call(TaskContext(claim, Silent()), data)()
    assert hasattr(made, "__await__")
    result: object = await made
    task.encode_output(result)
    return result
