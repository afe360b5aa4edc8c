"""How expressions fail: when they are read, and when they are evaluated."""


class ExpressionSyntaxError(ValueError):
    """The text is no expression; says where."""

    def __init__(self, problem: str, source: str, position: int) -> None:
        line = source.count("\n", 0, position) + 1
        column = position - source.rfind("\n", 0, position)
        place = f"character {column}" if line == 1 else f"line {line}, character {column}"
        super().__init__(f"{problem} (at {place})")
        self.position = position


class EvaluationError(Exception):
    """An expression that is well-formed has no value for this data."""

    type = "EXPRESSION_FAILED"
    source: str = ""
    """The parameter's text."""


class UnknownReference(EvaluationError):
    """What it refers to is not there; `??`, default() and exists() can live with that."""

    type = "UNKNOWN_REFERENCE"


class BudgetExceeded(EvaluationError):
    """It would take too many steps, or make too much."""

    type = "EXPRESSION_BUDGET"
