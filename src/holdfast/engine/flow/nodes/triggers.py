"""Triggers: where runs start. What started the run is `$trigger` everywhere, and the trigger's own output."""

from collections.abc import Iterator
from typing import Literal

from holdfast.engine import calendar
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.nodes.parameters import Label, Parameters, Role
from holdfast.engine.flow.outcomes import Emitted
from holdfast.engine.flow.values import SecretReference, Value
from holdfast.model.errors import InvalidArgument


class TriggerParameters(Parameters, frozen=True, kw_only=True):
    """Any trigger."""

    role = Role.TRIGGER

    @property
    def reads_input(self) -> bool:
        return False

    def evaluate(self, frame: Frame) -> Emitted:
        return Emitted(frame.scope.trigger)


class ManualParameters(TriggerParameters, frozen=True, kw_only=True):
    """Someone starts the run, by hand or by the API."""

    example: object = None
    """Input that an editor suggests."""


class WebhookParameters(TriggerParameters, frozen=True, kw_only=True):
    """A request to the flow's URL starts the run."""

    path: Label | None = None
    """The last part of the URL; the node's id, if it is not given."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    secret: SecretReference | None = None
    """Signs the requests (HMAC-SHA256); without it anyone who knows the URL may start runs."""
    respond: Literal["immediately", "when_done"] = "immediately"


class ScheduleParameters(TriggerParameters, frozen=True, kw_only=True):
    """The clock starts the run."""

    cron: str | None = None
    """Five fields, as in cron."""
    every_seconds: int | None = None
    timezone: str = "UTC"
    overlap: Literal["skip", "buffer_one", "allow", "cancel_other"] = "skip"
    """What to do if the run before has not ended."""
    input: Value = Value(None)
    """What the run is given; without it, the names of the schedule and of the nominal time."""

    def objections(self) -> Iterator[tuple[str, str]]:
        if (self.cron is None) == (self.every_seconds is None):
            yield "cron", "give exactly one of cron and every_seconds"
        if self.every_seconds is not None and self.every_seconds < 1:
            yield "every_seconds", f"must be 1 or more, not {self.every_seconds}"
        elif self.cron is None or self.every_seconds is None:
            yield from self._objections_of_time()
        if not self.input.expression.constant:
            yield "input", "is the same each time: nothing has run yet that an expression could refer to"

    def _objections_of_time(self) -> Iterator[tuple[str, str]]:
        try:
            calendar.zone_of(self.timezone)
        except InvalidArgument as error:
            yield "timezone", str(error)
            return
        if self.cron is not None:
            try:
                calendar.check_cron(self.cron, self.timezone)
            except InvalidArgument as error:
                yield "cron", str(error)
