"""The wait node: parks a branch until a time, a signal, a request or a condition; and the human node, which asks."""

from collections.abc import Iterator, Mapping
from typing import Literal, assert_never

from msgspec import UNSET, UnsetType

from holdfast.engine.flow.definition import MAIN, TIMEOUT, Unit
from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.written import written
from holdfast.engine.flow.nodes.parameters import Parameters, Role
from holdfast.engine.flow.outcomes import (
    Asked,
    Emitted,
    OnCondition,
    OnSignal,
    OnWebhook,
    Outcome,
    Parked,
    UntilInstant,
    Waiting,
)
from holdfast.engine.flow.values import Amount, Condition, Duration, Items, Moment, Text, Value, milliseconds_of
from holdfast.model.instants import Instant, Milliseconds, later

APPROVED, REJECTED = "approved", "rejected"
RECHECK_MS = Milliseconds(60_000)
MAX_SIGNAL_NAME = 255

Resume = Literal["time_interval", "until", "signal", "webhook", "condition"]


class WaitParameters(Parameters, frozen=True, kw_only=True):
    """`resume` says for what; each way has its own field, and any may race a `timeout`."""

    role = Role.WAIT

    resume: Resume = "time_interval"
    amount: Amount | UnsetType = UNSET
    unit: Unit | UnsetType = UNSET
    until: Moment | UnsetType = UNSET
    signal: Text | UnsetType = UNSET
    method: Literal["GET", "POST", "PUT"] | UnsetType = UNSET
    condition: Condition | UnsetType = UNSET
    every: Duration | UnsetType = UNSET
    timeout: Duration | None = None

    @property
    def reads_input(self) -> bool:
        return False

    def ports(self) -> tuple[str, ...]:
        return (MAIN, TIMEOUT) if self.timeout is not None else (MAIN,)

    def objections(self) -> Iterator[tuple[str, str]]:
        needed = {"until": "until", "signal": "signal", "condition": "condition"}.get(self.resume)
        if needed is not None and getattr(self, needed) is UNSET:
            yield needed, f"is missing: resume {self.resume!r} needs it"
        of_others = {
            "amount": "time_interval",
            "unit": "time_interval",
            "until": "until",
            "signal": "signal",
            "method": "webhook",
            "condition": "condition",
            "every": "condition",
        }
        for field, resume in of_others.items():
            if resume != self.resume and getattr(self, field) is not UNSET:
                yield field, f"belongs to resume {resume!r}, not to {self.resume!r}"

    def evaluate(self, frame: Frame) -> Outcome:
        if self.resume == "condition" and self._condition_holds(frame):
            return Emitted(frame.scope.json)
        return Parked(self._until(frame), _deadline(self.timeout, frame))

    def _condition_holds(self, frame: Frame) -> bool:
        assert self.condition is not UNSET
        return self.condition.holds(frame)

    @property
    def http_method(self) -> str:
        """With which a request comes that ends the wait."""
        return "POST" if self.method is UNSET else self.method

    def _until(self, frame: Frame) -> Waiting:
        match self.resume:
            case "time_interval":
                return UntilInstant(later(frame.now, self._interval_ms(frame)))
            case "until":
                assert self.until is not UNSET
                return UntilInstant(self.until.instant(frame))
            case "signal":
                return OnSignal(self._signal_name(frame))
            case "webhook":
                return OnWebhook(self.http_method)
            case "condition":
                return OnCondition(RECHECK_MS if self.every is UNSET else self.every.milliseconds(frame))
            case _:
                assert_never(self.resume)

    def _interval_ms(self, frame: Frame) -> Milliseconds:
        amount = 1 if self.amount is UNSET else self.amount.number(frame)
        return milliseconds_of(amount, "seconds" if self.unit is UNSET else self.unit)

    def _signal_name(self, frame: Frame) -> str:
        assert self.signal is not UNSET
        name = self.signal.text(frame)
        if not 0 < len(name) <= MAX_SIGNAL_NAME:
            raise EvaluationError(f"the name of a signal has 1 to {MAX_SIGNAL_NAME} characters, not {len(name)}")
        return name

    def completed(self, frame: Frame, result: object) -> Emitted:
        """A signal or request gives its payload; time and conditions pass the input on."""
        return Emitted(result if self.resume in ("signal", "webhook") else frame.scope.json)


def _deadline(timeout: Duration | None, frame: Frame) -> Instant | None:
    return None if timeout is None else later(frame.now, timeout.milliseconds(frame))


class HumanParameters(Parameters, frozen=True, kw_only=True):
    """Asks a person to approve; the answer's port is `approved` or `rejected`."""

    role = Role.HUMAN

    title: Text
    message: Text = Text("")
    assignees: Items = Items([])
    form: Value = Value(None)
    timeout: Duration | None = None

    @property
    def reads_input(self) -> bool:
        return False

    def ports(self) -> tuple[str, ...]:
        return (APPROVED, REJECTED, TIMEOUT) if self.timeout is not None else (APPROVED, REJECTED)

    def evaluate(self, frame: Frame) -> Asked:
        return Asked(
            title=self.title.text(frame),
            message=self.message.text(frame),
            assignees=[written(each) for each in self.assignees.items(frame)],
            form=self.form.evaluate(frame),
            timeout_at=_deadline(self.timeout, frame),
        )

    def completed(self, _: Frame, result: object) -> Emitted:
        """The answer is `{"approved": true or false, …}`, or just true or false."""
        approved = result.get("approved") if isinstance(result, Mapping) else result
        if not isinstance(approved, bool):
            raise EvaluationError('an answer must be true, false, or an object such as {"approved": true}')
        return Emitted(result, APPROVED if approved else REJECTED)

    @property
    def ignored_port(self) -> None:
        """Nobody has approved, and nobody has rejected."""
