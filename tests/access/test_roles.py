"""One table says who may do what."""

import pytest

from holdfast.model.access import Role
from holdfast.model.errors import Forbidden
from holdfast.model.ids import ALL_TENANTS, TenantId
from holdfast.server.access.gate import Caller
from holdfast.server.access.identities import Identity
from holdfast.server.access.quotas import Quota
from holdfast.server.access.roles import ADMINS, AUDITED, INSTALLATION, OPERATORS, READERS, ROLES_OF, WORKERS

ACME = TenantId("acme")


def caller(*roles: Role, tenant: TenantId = ACME) -> Caller:
    return Caller(Identity("key:1", tenant, frozenset(roles)), ACME, Quota())


def may(role: Role, verb: str) -> bool:
    try:
        caller(role, tenant=ALL_TENANTS).check(verb)
    except Forbidden:
        return False
    return True


def test_what_is_written_down_is_a_verb() -> None:
    assert set(ROLES_OF) >= AUDITED | INSTALLATION


def test_a_verb_without_a_row_is_for_nobody() -> None:
    assert not any(may(role, "Unheard") for role in Role)


@pytest.mark.parametrize("verb", sorted(ROLES_OF))
def test_the_roles_are_told_apart(verb: str) -> None:
    assert {role for role in Role if may(role, verb)} == ROLES_OF[verb]


def test_whoever_may_change_may_look_and_workers_only_work() -> None:
    assert READERS > OPERATORS > ADMINS
    assert {Role.WORKER} == WORKERS
    assert {verb for verb, roles in ROLES_OF.items() if roles == {Role.WORKER}} >= {
        "PollTask",
        "SubmitWorkflowCommands",
    }


@pytest.mark.parametrize("verb", sorted(INSTALLATION))
def test_tenants_are_made_by_administrators_of_the_installation(verb: str) -> None:
    with pytest.raises(Forbidden, match="whole installation"):
        caller(Role.ADMIN).check(verb)
