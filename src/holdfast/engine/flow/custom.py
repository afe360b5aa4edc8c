"""Nodes of users' own types, `node:<name>`: any parameters can be read; what a type takes is known by its workers."""

from typing import Final

import msgspec

from holdfast.engine.flow.definition import Node
from holdfast.engine.flow.nodes.parameters import Label
from holdfast.engine.flow.nodes.work import CustomParameters
from holdfast.engine.flow.problems import Problems, described
from holdfast.engine.flow.reading import read_value
from holdfast.engine.flow.values import Value
from holdfast.model.errors import InvalidId
from holdfast.model.ids import checked_id

MAX_PARAMETERS: Final = 100
QUEUE: Final = "queue"


def read_custom(node: Node, path: str, problems: Problems) -> CustomParameters | None:
    """The parameters of such a node, if its expressions can be read."""
    found = len(problems.found) + problems.more
    place = f"{path}.parameters"
    try:
        checked_id(node.type, "the type of a node")
    except InvalidId as error:
        problems.add(f"{path}.type", "ID", str(error))
    if len(node.parameters) > MAX_PARAMETERS:
        problems.add(place, "TOO_MANY", f"there are {len(node.parameters):,} parameters; {MAX_PARAMETERS} is all")
        return None
    queue: str | None = None
    given: dict[str, Value] = {}
    for name, each in node.parameters.items():
        try:
            if name == QUEUE:
                queue = msgspec.convert(each, Label)
            else:
                given[name] = msgspec.convert(each, Value, dec_hook=read_value)
        except msgspec.ValidationError as error:
            where, reason = described(error, f"{place}.{name}")
            problems.add(where, "INVALID", reason)
    if len(problems.found) + problems.more > found:
        return None
    return CustomParameters(task=node.type, queue=queue, given=given)
