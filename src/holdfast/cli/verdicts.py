"""The lines of `holdfast doctor`."""

from typing import Final

from holdfast.cli.documents import Document

OK: Final = "OK"
WARN: Final = "WARN"
FAIL: Final = "FAIL"


class Check(Document, frozen=True):
    """One line of the doctor's."""

    name: str
    verdict: str
    """OK, WARN or FAIL."""
    finding: str
    advice: str = ""


class Diagnosis(Document, frozen=True):
    """All lines, and the worst verdict among them."""

    verdict: str
    checks: tuple[Check, ...]
