"""Links to waits: what they say cannot be changed, and how long they are good."""

import base64

import pytest

from holdfast.engine.flow.run import links
from holdfast.engine.flow.run.links import LIFETIME_MS, WaitLink
from holdfast.model.flows import ROOT, Frame, Visit, VisitStatus
from holdfast.model.ids import ExecutionId, TenantId
from holdfast.model.instants import Instant
from tests.flow.run.driving import Driver
from tests.flow.run.running import begun

KEY = "k" * 64
LINK = WaitLink(TenantId("acme"), ExecutionId("order/17"), "p:r:0", Instant(9))


def root_of(made: Driver) -> Frame:
    return made.frame()


def path_at(made: Driver, now: int) -> str:
    [(key, visit)] = root_of(made).state.visits.items()
    [execution] = made.rows.executions.values()
    return links.path_of(execution, root_of(made), ROOT, key, visit, Instant(now)) or ""


def said(path: str) -> WaitLink:
    link = links.read(path.removeprefix("/waits/"))
    assert link is not None
    return link


def test_a_link_comes_back_and_is_known_by_its_key() -> None:
    text = links.signed(LINK, KEY)
    assert (links.read(text), links.is_signed(text, KEY)) == (LINK, True)


@pytest.mark.parametrize("key", ["", "K" * 64])
def test_another_key_or_none_knows_no_link(key: str) -> None:
    assert not links.is_signed(links.signed(LINK, KEY), key)
    assert not links.is_signed(links.signed(LINK, key), "")


def test_no_character_of_a_link_can_be_changed() -> None:
    text = links.signed(LINK, KEY)
    for place, old in enumerate(text):
        for new in ("A" if old != "A" else "B", "%", ""):
            forged = text[:place] + new + text[place + 1 :]
            other = links.read(forged)
            assert not links.is_signed(forged, KEY) or other == LINK, forged


@pytest.mark.parametrize(
    "text", ["", ".", "a.b", "é", "e30.e30", base64.urlsafe_b64encode(b'["a"]').decode(), "[" * 100_000]
)
def test_what_is_no_link_says_nothing(text: str) -> None:
    assert links.read(text) is None
    assert not links.is_signed(text, KEY)


def test_a_link_expires_with_the_timeout_of_its_wait() -> None:
    made = begun({"w": ("wait", {"resume": "webhook", "timeout": 5})})
    assert said(path_at(made, made.now)).expires_at == made.now + 5_000


def test_without_a_timeout_a_link_stays_the_same_for_a_while_and_is_good_for_long() -> None:
    made = begun({"w": ("wait", {"resume": "webhook"})})
    first = path_at(made, made.now)
    assert path_at(made, made.now + LIFETIME_MS // 2 - 1) == first
    for later in range(0, 4 * LIFETIME_MS, LIFETIME_MS // 7):
        rest = said(path_at(made, made.now + later)).expires_at - (made.now + later)
        assert LIFETIME_MS // 2 <= rest <= LIFETIME_MS


def test_each_run_has_a_key_of_its_own_and_only_if_it_needs_one() -> None:
    assert root_of(begun({"w": ("wait", {"amount": 5})})).state.link_key == ""
    made = begun({"w": ("wait", {"resume": "webhook"}), "x": ("wait", {"resume": "webhook"})})
    assert len(root_of(made).state.link_key) == 64


def test_what_does_not_wait_has_no_link() -> None:
    made = begun({"w": ("wait", {"resume": "webhook"})})
    [execution] = made.rows.executions.values()
    ended = Visit(0, -1, (), VisitStatus.SUCCESS, Instant(1))
    assert links.path_of(execution, root_of(made), ROOT, "0", ended, Instant(1)) is None
