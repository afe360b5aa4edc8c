"""What the machines of one execution share: what is recorded, what is asked for, and whether the code may go on."""

from asyncio import _get_running_loop
from typing import NoReturn

from holdfast.model.commands import Command
from holdfast.model.errors import NotDeterministic
from holdfast.model.ids import DerivedIds, ExecutionId, TenantId
from holdfast.model.instants import Instant
from holdfast.sdk.replay.history import History
from holdfast.sdk.replay.loop import DeterministicLoop
from holdfast.sdk.replay.ports import Codec
from holdfast.sdk.replay.violations import Violation, WorkflowStopped, calling_line

LIVE = 1 << 62
"""The position of code that goes on from what is not in the log yet."""


class Journal:
    """The log of an execution as far as it is known, and what its code adds to it."""

    __slots__ = (
        "codec", "commands", "execution_id", "former_ids", "given_operation", "history", "ids", "is_closed", "loop",
        "operation", "position", "query", "seen_sequence", "tenant", "violation",
    )  # fmt: skip

    def __init__(self, *, tenant: TenantId, execution_id: ExecutionId, codec: Codec) -> None:
        self.tenant = tenant
        self.execution_id = execution_id
        self.codec = codec
        self.loop = DeterministicLoop(execution_id)  # type: ignore[abstract]  # RefusingLoop's methods are made in a loop
        self.history = History()
        self.ids = DerivedIds(tenant, execution_id, Instant(0))
        self.former_ids: tuple[DerivedIds, ...] = ()
        """Those that the execution gave before each time that it was sent back."""
        self.commands: list[Command] = []
        self.violation: Violation | None = None
        self.is_closed = False
        self.operation: str | None = None
        """The deferred operation that runs at this moment."""
        self.query: str | None = None
        """The query whose handler runs at this moment."""
        self.position = 0
        """The sequence of the event that the code has been given last."""
        self.given_operation: int | None = None
        """The operation whose end that was, by its index."""
        self.seen_sequence = 0

    @property
    def is_replaying(self) -> bool:
        """Whether the code has been here before."""
        return self.position <= self.seen_sequence

    def move(self, position: int, operation: int | None = None) -> None:
        """The code goes on from this event; from the end of an operation, if it is one."""
        self.position = position
        self.given_operation = operation
        self.loop.is_quiet = position <= self.seen_sequence

    def enter(self) -> None:
        """Checks that workflow code is calling, and may: a task body or another workflow holds the wrong context."""
        if self.query is not None:
            raise NotDeterministic(
                f"the handler of query {self.query!r} asked for more than a look, at {calling_line()}; "
                "it may only read, and nothing that it does is kept"
            )
        if _get_running_loop() is not self.loop:
            raise NotDeterministic(
                f"the context of workflow {self.execution_id!r} was used outside of its code, at {calling_line()}; "
                "only the workflow's own coroutines may use it, not tasks, threads or the function of a ctx.run"
            )
        if self.violation is not None or self.is_closed:
            raise WorkflowStopped("this workflow has been stopped")
        if self.operation is not None:
            raise NotDeterministic(
                f"the function of operation {self.operation!r} used the workflow's context, at {calling_line()}; "
                "it does not run again on replay, so it may only return a value"
            )

    def look(self) -> None:
        """Checks that workflow code is calling; the handler of a query may, too."""
        if self.query is None:
            self.enter()

    def ask(self, command: Command) -> None:
        """Ask for something by id; code that is being put away asks in vain."""
        if self.violation is None and not self.is_closed:
            self.commands.append(command)

    def violate(self, position: str, recorded: str, attempted: str) -> NoReturn:
        """Stop the code: it does not fit its history."""
        self.violation = Violation(position, recorded, attempted, calling_line())
        self.loop.halt()
        raise WorkflowStopped(self.violation.message(self.execution_id))

    def take_commands(self) -> tuple[Command, ...]:
        """What has been asked for since the last time."""
        commands, self.commands = self.commands, []
        return () if self.violation else tuple(commands)
