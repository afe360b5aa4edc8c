"""Flows and their runs on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from holdfast.app.flow_runs import FlowRun, NodeState
from holdfast.cli.views.marks import line, table
from holdfast.cli.views.tables import Parts
from holdfast.cli.wording import ago, local_time
from holdfast.model.flows import FlowVersion, VisitStatus
from holdfast.model.instants import Instant

_STYLES = {
    VisitStatus.SUCCESS: "green",
    VisitStatus.FAILED: "red",
    VisitStatus.SKIPPED: "dim",
    VisitStatus.RUNNING: "cyan",
    VisitStatus.WAITING: "cyan",
    VisitStatus.READY: "yellow",
}


def flows_table(found: Sequence[FlowVersion], now: Instant) -> Parts:
    """Flows, each with its newest version."""
    rows = table("FLOW", "VERSION", "SAVED")
    for each in found:
        rows.add_row(line(each.name), str(each.version), ago(each.created_at, now))
    yield rows if found else Text("no flows")


def flow_story(version: FlowVersion, definition: Mapping[str, Any]) -> Parts:
    """The nodes of a flow, and what leads where."""
    yield line(f"{version.name} version {version.version}", "bold")
    rows = table("NODE", "TYPE", "NAME", "LEADS TO")
    for node in definition["nodes"]:
        ways = [edge for edge in definition.get("edges", []) if edge["src"] == node["id"]]
        leads = ", ".join(_way(edge) for edge in ways)
        rows.add_row(line(node["id"]), line(node["type"]), line(node.get("name", "")), line(leads))
    yield rows


def _way(edge: Mapping[str, str]) -> str:
    port = edge.get("port", "main")
    return edge["dst"] if port == "main" else f"{edge['dst']} ({port})"


def run_lines(run: FlowRun, before: FlowRun | None) -> Parts:
    """What has moved since the last look."""
    if before is None:
        yield line(f"{run.id}: {run.flow} version {run.version}", "bold")
    known = set() if before is None else set(before.nodes)
    for node in run.nodes:
        if node not in known:
            yield _node_line(node)
    if before is None or (run.status, run.paused) != (before.status, before.paused):
        yield line(f"{run.status}{', paused' if run.paused else ''}")


def _node_line(node: NodeState) -> Text:
    said = line(f"  {local_time(node.ended_at or node.started_at)}  ")
    said.append(f"{node.status:<8}", style=_STYLES[node.status])
    said.append_text(line(f" {node.name}"))
    if node.total is not None:
        said.append(f"  {node.processed}/{node.total}{f', {node.failed} failed' if node.failed else ''}")
    if node.resume_at is not None and node.ended_at is None:
        said.append(f"  until {local_time(node.resume_at)}")
    if node.link is not None:
        said.append_text(line(f"  {node.link}"))
    if node.failure is not None:
        said.append_text(line(f"  {node.failure.type}: {node.failure.message}", "red"))
    return said
