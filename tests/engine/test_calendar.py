"""The nominal times of schedules: cron lines in their zones, intervals, bounds, jitter."""

from datetime import UTC, datetime
from typing import Any

import pytest

from holdfast.engine import calendar
from holdfast.model.errors import InvalidArgument
from holdfast.model.instants import LATEST, Instant, instant_of
from holdfast.model.schedules import ScheduleSpec, StartsWorkflow, nominal_text

HOUR = 3_600_000
LONG_AGO = Instant(0)


def spec(**fields: Any) -> ScheduleSpec:
    return ScheduleSpec(StartsWorkflow("report"), **fields)


def at(text: str) -> Instant:
    return instant_of(datetime.fromisoformat(text).replace(tzinfo=UTC))


def times(of: ScheduleSpec, after: Instant, count: int, made_at: Instant = LONG_AGO) -> list[str]:
    found: list[str] = []
    time: Instant | None = after
    while time is not None and len(found) < count:
        time = calendar.following(of, made_at, time)
        found.append("none" if time is None else nominal_text(time))
    return found


def test_a_cron_line_is_read_in_its_zone() -> None:
    weekdays = spec(cron="30 9 * * 1-5", timezone="Europe/Vienna")
    friday = at("2026-01-16T08:00")
    assert times(weekdays, friday, 2) == ["2026-01-16T08:30:00Z", "2026-01-19T08:30:00Z"]


def test_a_time_that_the_clocks_skip_runs_right_after_and_one_that_comes_twice_runs_once() -> None:
    nightly = spec(cron="30 2 * * *", timezone="Europe/Vienna")
    assert times(nightly, at("2026-03-28T12:00"), 2) == ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]
    assert times(nightly, at("2026-10-24T12:00"), 2) == ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]


def test_in_an_hour_that_comes_twice_no_time_is_before_the_one_asked_about() -> None:
    nightly = spec(cron="30 2 * * *", timezone="Europe/Vienna")
    assert times(nightly, at("2026-10-25T01:10"), 1) == ["2026-10-26T01:30:00Z"]


def test_an_hourly_line_goes_by_real_hours_when_clocks_change() -> None:
    hourly = spec(cron="0 * * * *", timezone="Europe/Vienna")
    assert times(hourly, at("2026-10-25T00:00"), 3) == [
        "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z"
    ]  # fmt: skip


def test_the_time_after_is_never_the_time_itself() -> None:
    nightly = spec(cron="0 9 * * *")
    nine = at("2026-01-16T09:00")
    assert times(nightly, Instant(nine - 1), 1) == ["2026-01-16T09:00:00Z"]
    assert times(nightly, nine, 1) == ["2026-01-17T09:00:00Z"]
    assert times(nightly, Instant(nine + 999), 1) == ["2026-01-17T09:00:00Z"]


def test_an_interval_is_counted_from_when_the_schedule_was_made() -> None:
    hourly = spec(every_ms=HOUR)
    made = at("2026-01-01T00:20")
    assert times(hourly, made, 2, made) == ["2026-01-01T01:20:00Z", "2026-01-01T02:20:00Z"]
    assert times(hourly, at("2026-01-01T01:20"), 1, made) == ["2026-01-01T02:20:00Z"]


def test_an_interval_begins_at_its_first_time() -> None:
    hourly = spec(every_ms=HOUR, not_before=at("2026-02-01T00:00"))
    assert times(hourly, Instant(0), 2) == ["2026-02-01T00:00:00Z", "2026-02-01T01:00:00Z"]
    assert times(hourly, at("2026-02-01T00:30"), 1) == ["2026-02-01T01:00:00Z"]


def test_nothing_comes_before_the_first_or_after_the_last_time() -> None:
    bounded = spec(cron="0 9 * * *", not_before=at("2026-02-01T09:00"), not_after=at("2026-02-02T09:00"))
    assert times(bounded, Instant(0), 3) == ["2026-02-01T09:00:00Z", "2026-02-02T09:00:00Z", "none"]


def test_a_line_that_never_comes_has_no_times() -> None:
    assert times(spec(cron="0 0 29 2 1#5", timezone="Europe/Vienna"), Instant(LATEST - 1), 1) == ["none"]
    assert times(spec(every_ms=HOUR), LATEST, 1) == ["none"]


def test_jitter_is_the_same_for_the_same_time_and_stays_within_its_limit() -> None:
    loose = spec(cron="0 9 * * *", jitter_ms=HOUR)
    starts = [calendar.start_of(loose, "nightly", Instant(day)) - day for day in range(100)]
    assert starts == [calendar.start_of(loose, "nightly", Instant(day)) - day for day in range(100)]
    assert 0 <= min(starts) < max(starts) <= HOUR
    assert calendar.start_of(spec(cron="0 9 * * *"), "nightly", Instant(5)) == 5


def test_times_that_were_missed_are_counted() -> None:
    daily, hourly = spec(cron="0 0 * * *"), spec(every_ms=HOUR, not_after=Instant(10 * HOUR))
    first, end = at("2026-01-01T00:00"), at("2026-01-11T00:00")
    assert calendar.times_before(daily, Instant(0), first, end) == 10
    assert calendar.times_before(hourly, Instant(0), Instant(HOUR), Instant(4 * HOUR)) == 3
    assert calendar.times_before(hourly, Instant(0), Instant(HOUR), Instant(99 * HOUR)) == 10
    assert calendar.times_before(daily, Instant(0), first, first) == 0


def test_counting_ends() -> None:
    assert calendar.times_before(spec(cron="* * * * *"), Instant(0), Instant(60_000), LATEST) == calendar.MOST_COUNTED
    ended = spec(cron="0 0 * * *", not_after=at("2026-01-02T00:00"))
    assert calendar.times_before(ended, Instant(0), at("2026-01-01T00:00"), LATEST) == 2


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({}, "exactly one of"),
        ({"cron": "0 9 * * *", "every_ms": HOUR}, "exactly one of"),
        ({"every_ms": 999}, "every_ms"),
        ({"cron": "0 9 * *"}, "five fields"),
        ({"cron": "61 9 * * *"}, "minute"),
        ({"cron": "0 9 * * *" + " " * 255}, "at most 255"),
        ({"cron": "0 9 * * *", "timezone": "Mars/Olympus"}, "time zone"),
        ({"cron": "0 9 * * *", "timezone": "../etc/passwd"}, "time zone"),
        ({"every_ms": HOUR, "jitter_ms": -1}, "jitter_ms"),
        ({"every_ms": HOUR, "catch_up_ms": LATEST + 1}, "catch_up_ms"),
        ({"every_ms": HOUR, "not_after": -1}, "not_after"),
    ],
)
def test_what_can_never_be_carried_out_is_refused(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidArgument, match=complaint):
        calendar.check(spec(**fields))
