"""Flows that the tests of the UI look at."""

from typing import Any

import msgspec

from holdfast.model.flows import FlowVersion
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.model.instants import Instant
from holdfast.ports.store import Changes
from tests.flow.sketches import sketch
from tests.stores.making import write
from tests.ui.watching import Site

ORDER: Any = sketch(
    {
        "start": ("manual", {}, {"name": "Start"}),
        "lines": ("split", {"items": "$trigger.lines"}, {"name": "Each line"}),
        "pack": ("task", {"task": "pack"}, {"name": "Pack"}),
        "pause": ("wait", {"amount": 2, "unit": "hours"}, {"name": "Let it dry"}),
        "all": ("aggregate", {}, {"name": "All lines"}),
        "ask": ("human", {"title": "Send it?"}, {"name": "Ask"}),
        "send": ("task", {"task": "ship"}, {"name": "Send"}),
        "refund": ("log", {}, {"name": "Refund"}),
    },
    "start > lines > pack > pause > all > ask",
    "ask:approved > send",
    "ask:rejected > refund",
    name="order",
)


def wide(count: int) -> Any:
    """A flow of so many nodes, in rows that branch and join."""
    nodes: dict[str, Any] = {"start": "manual", "last": "merge"}
    edges = []
    rows = (count - 2) // 9
    for row in range(rows):
        names = [f"r{row}_{place}" for place in range(9)]
        nodes |= {name: ("edit", {"fields": {"row": row}}) for name in names}
        edges.append(" > ".join(["start", *names, "last"]))
    return sketch(nodes, *edges, name="wide")


async def keep(site: Site, *definitions: Any) -> None:
    """Put versions on disk; those of one name follow each other."""
    versions: dict[str, int] = {}
    rows = []
    for definition in definitions:
        name = definition["name"]
        versions[name] = versions.get(name, 0) + 1
        document = msgspec.json.encode(definition)
        rows.append(FlowVersion(DEFAULT_TENANT, name, versions[name], document, Instant(1_780_000_000_000)))
    await write(site.store, Changes(flow_versions=rows))
