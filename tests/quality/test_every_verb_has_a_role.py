"""Nothing that can be asked of a server is missing in the table that says who may ask it."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from holdfast.protocol import generated
from holdfast.server.access.roles import ROLES_OF
from holdfast.server.rest.routes import RESOURCES

PUBLIC = {"/hooks/{tenant_id}/{flow}/{path}", "/waits/{link}", "/api/session", "/health/live", "/health/ready"}
GENERATED = Path(generated.__path__[0])


def methods() -> Iterator[str]:
    for file in GENERATED.glob("*_pb2.py"):
        module = import_module(f"{generated.__name__}.{file.stem}")
        for service in module.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                yield method.name


def test_every_method_of_the_protocol_has_a_row() -> None:
    assert sorted(set(methods()) - set(ROLES_OF)) == []


def test_every_route_has_a_row_or_is_public_on_purpose() -> None:
    assert [each.path for each in RESOURCES if each.verb is not None and each.verb not in ROLES_OF] == []
    assert {each.path for each in RESOURCES if each.verb is None} <= PUBLIC


def test_a_row_without_a_verb_is_left_over_from_something() -> None:
    used = {*methods(), *(each.verb for each in RESOURCES)}
    assert sorted(set(ROLES_OF) - used) == []
