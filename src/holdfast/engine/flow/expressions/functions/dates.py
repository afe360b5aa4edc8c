"""Functions on dates: text in ISO 8601 with a time zone, or milliseconds since 1970; now comes from outside."""

import calendar
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.functions.calling import eager
from holdfast.engine.flow.expressions.syntax import Function
from holdfast.engine.flow.problems import hint
from holdfast.model.errors import shown
from holdfast.model.instants import LATEST, Instant, datetime_of, instant_of

LONGEST_DATE: Final = 64
LONGEST_FORMAT: Final = 200

SECONDS_OF: Final = {"seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400, "weeks": 604_800}
MONTHS_OF: Final = {"months": 1, "years": 12}
UNITS: Final = ("milliseconds", *SECONDS_OF, *MONTHS_OF)
EARLIEST: Final = -62_135_596_800_000

_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def zone_of(name: str) -> tzinfo:
    """The time zone of that name in the IANA database."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise EvaluationError(f"there is no time zone {shown(name)}; names are such as 'Europe/Vienna'") from error


def moment_of(value: object, zone: str | None = None) -> datetime:
    """The moment that a date means; text without a zone is refused, unless a zone is given to read it in."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise EvaluationError(f"{shown(value)} is no date; write 2026-03-01T09:00:00+01:00, or milliseconds since 1970")
    try:
        return _from_text(value, zone) if isinstance(value, str) else _from_milliseconds(value, zone)
    except (ValueError, OverflowError) as error:
        raise EvaluationError(f"{shown(value)} is no date: {error}") from error


def _from_text(text: str, zone: str | None) -> datetime:
    if len(text) > LONGEST_DATE:
        raise ValueError("it is too long")
    moment = datetime.fromisoformat(text.strip())
    if moment.tzinfo is None:
        if zone is None:
            raise ValueError("it has no time zone; add Z or an offset such as +01:00")
        moment = moment.replace(tzinfo=zone_of(zone))
    return moment if zone is None else moment.astimezone(zone_of(zone))


def _from_milliseconds(value: float, zone: str | None) -> datetime:
    if not EARLIEST <= value <= LATEST:
        raise ValueError("it lies beyond the years 1 to 9999")
    return datetime_of(Instant(int(value))).astimezone(zone_of(zone or "UTC"))


def instant_of_date(value: object) -> Instant:
    """The instant that a date means."""
    return instant_of(moment_of(value))


def iso(moment: datetime) -> str:
    """A moment as text: whole seconds without a fraction, UTC as Z."""
    text = moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")
    return text.replace("+00:00", "Z") if moment.utcoffset() == timedelta(0) else text


def moved(moment: datetime, amount: int | float, unit: str) -> datetime:
    """The moment so many units later; months and years keep the day where they can, and the clock of the zone."""
    _check_unit(unit)
    try:
        if unit in MONTHS_OF:
            return _months_later(moment, _whole(amount, unit) * MONTHS_OF[unit])
        if unit in ("days", "weeks") and isinstance(amount, int):
            return moment + timedelta(days=amount * (7 if unit == "weeks" else 1))
        seconds = amount / 1000 if unit == "milliseconds" else amount * SECONDS_OF[unit]
        return (moment.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(moment.tzinfo)
    except OverflowError as error:
        raise EvaluationError(f"{shown(amount)} {unit} from then lie beyond the years 1 to 9999") from error


def _check_unit(unit: str) -> None:
    if unit not in UNITS:
        raise EvaluationError(f"there is no unit {shown(unit)}{hint(unit, UNITS)}")


def _whole(amount: int | float, unit: str) -> int:
    if isinstance(amount, float) and not amount.is_integer():
        raise EvaluationError(f"only whole {unit} can be added, not {amount}")
    return int(amount)


def _months_later(moment: datetime, months: int) -> datetime:
    month = moment.year * 12 + moment.month - 1 + months
    year, zero_based = divmod(month, 12)
    if not 1 <= year <= 9999:
        raise OverflowError
    day = min(moment.day, calendar.monthrange(year, zero_based + 1)[1])
    return moment.replace(year=year, month=zero_based + 1, day=day)


def between(start: datetime, end: datetime, unit: str) -> int | float:
    """How many units lie between two moments; months and years are counted whole."""
    _check_unit(unit)
    if unit in MONTHS_OF:
        months = (end.year - start.year) * 12 + end.month - start.month
        if months > 0 and _months_later(start, months) > end:
            months -= 1
        elif months < 0 and _months_later(start, months) < end:
            months += 1
        return int(months / MONTHS_OF[unit])
    seconds = (end - start).total_seconds()
    amount = seconds * 1000 if unit == "milliseconds" else seconds / SECONDS_OF[unit]
    return int(amount) if amount.is_integer() else amount


def start_of(moment: datetime, unit: str) -> datetime:
    """The beginning of the second, minute, hour, day, week (Monday), month or year."""
    _check_unit(unit)
    if unit == "milliseconds":
        return moment
    if unit == "weeks":
        moment -= timedelta(days=moment.weekday())
    fields = {"microsecond": 0, "second": 0, "minute": 0, "hour": 0, "day": 1, "month": 1}
    reset = {"seconds": 1, "minutes": 2, "hours": 3, "days": 4, "weeks": 4, "months": 5, "years": 6}[unit]
    return moment.replace(**dict(list(fields.items())[:reset]))  # type: ignore[arg-type]


def _offset(moment: datetime, colon: str) -> str:
    minutes = round((moment.utcoffset() or timedelta(0)).total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}{colon}{abs(minutes) % 60:02d}"


_FORMAT: Final = re.compile(r"\[[^\]]*\]|YYYY|YY|MMMM|MMM|MM|M|dddd|ddd|DD|D|HH|H|hh|h|mm|m|ss|s|SSS|A|ZZ|Z|X")
_PARTS: Final[Mapping[str, Callable[[datetime], str]]] = {
    "YYYY": lambda at: f"{at.year:04d}",
    "YY": lambda at: f"{at.year % 100:02d}",
    "MMMM": lambda at: _MONTHS[at.month - 1],
    "MMM": lambda at: _MONTHS[at.month - 1][:3],
    "MM": lambda at: f"{at.month:02d}",
    "M": lambda at: str(at.month),
    "dddd": lambda at: _WEEKDAYS[at.weekday()],
    "ddd": lambda at: _WEEKDAYS[at.weekday()][:3],
    "DD": lambda at: f"{at.day:02d}",
    "D": lambda at: str(at.day),
    "HH": lambda at: f"{at.hour:02d}",
    "H": lambda at: str(at.hour),
    "hh": lambda at: f"{(at.hour + 11) % 12 + 1:02d}",
    "h": lambda at: str((at.hour + 11) % 12 + 1),
    "mm": lambda at: f"{at.minute:02d}",
    "m": lambda at: str(at.minute),
    "ss": lambda at: f"{at.second:02d}",
    "s": lambda at: str(at.second),
    "SSS": lambda at: f"{at.microsecond // 1000:03d}",
    "A": lambda at: "AM" if at.hour < 12 else "PM",
    "Z": lambda at: _offset(at, ":"),
    "ZZ": lambda at: _offset(at, ""),
    "X": lambda at: str(int(at.timestamp())),
}


def formatted(moment: datetime, pattern: str) -> str:
    """The moment in letters such as YYYY-MM-DD HH:mm:ss; what stands in [brackets] stays."""
    if len(pattern) > LONGEST_FORMAT:
        raise EvaluationError(f"a format has at most {LONGEST_FORMAT} characters")

    def part(found: re.Match[str]) -> str:
        letters = found.group()
        return letters[1:-1] if letters.startswith("[") else _PARTS[letters](moment)

    return _FORMAT.sub(part, pattern)


def _parts(_: Frame, value: object, zone: str = "UTC") -> dict[str, int]:
    moment = moment_of(value, zone)
    return {
        "year": moment.year, "month": moment.month, "day": moment.day, "hour": moment.hour, "minute": moment.minute,
        "second": moment.second, "millisecond": moment.microsecond // 1000, "weekday": moment.isoweekday(),
        "week": moment.isocalendar().week, "day_of_year": moment.timetuple().tm_yday,
    }  # fmt: skip


def now_of(frame: Frame, zone: str = "UTC") -> datetime:
    """The instant of the step, in a zone."""
    return datetime_of(frame.now).astimezone(zone_of(zone))


DATES: Final[Mapping[str, Function]] = {
    "now": eager(
        lambda frame, zone="UTC": iso(now_of(frame, zone)), "text", "zone", "The time of the step.", optional=1
    ),
    "today": eager(
        lambda frame, zone="UTC": now_of(frame, zone).date().isoformat(), "text", "zone", "The date of the step.",
        optional=1,
    ),
    "date": eager(
        lambda _, value, zone="UTC": iso(moment_of(value, zone)), "instant text", "date, zone",
        "The date in a zone; text without one is read in it.", optional=1,
    ),
    "timestamp": eager(
        lambda _, value: int(instant_of_date(value)), "instant", "date", "Milliseconds since 1970."
    ),
    "format_date": eager(
        lambda _, value, pattern, zone="UTC": formatted(moment_of(value, zone), pattern), "instant text text",
        "date, format, zone", "Written by `YYYY MM DD HH mm ss …`.", optional=1,
    ),
    "add_time": eager(
        lambda _, value, amount, unit, zone="UTC": iso(moved(moment_of(value, zone), amount, unit)),
        "instant number text text", "date, amount, unit, zone",
        "Later, or earlier if the amount is negative.", optional=1,
    ),
    "time_between": eager(
        lambda _, start, end, unit="seconds": between(moment_of(start, "UTC"), moment_of(end, "UTC"), unit),
        "instant instant text", "start, end, unit", "How many units lie between.", optional=1,
    ),
    "start_of": eager(
        lambda _, value, unit, zone="UTC": iso(start_of(moment_of(value, zone), unit)), "instant text text",
        "date, unit, zone", "The beginning of its day, week, month, …", optional=1,
    ),
    "date_parts": eager(_parts, "instant text", "date, zone", "Year, month, day, hour, … as an object.", optional=1),
}  # fmt: skip
