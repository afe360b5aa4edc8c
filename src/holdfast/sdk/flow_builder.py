"""Flows written in Python: nodes are made by calls, edges by `>>`, and the JSON is what the flow gives.

flow = Flow("order")
each = flow.split("each", items="$trigger.items")
prices = flow.aggregate("prices", results="values")
each >> flow.task("price", price) >> prices >> flow.edit("total", value={"total": "{{ sum($prices) }}"})
await hf.save_flow(flow.definition)
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal, Self

from holdfast.model.errors import InvalidArgument
from holdfast.model.instants import milliseconds
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition
from holdfast.sdk.nodes import NodeDefinition

MAIN = "main"
OnError = Literal["halt", "ignore", "branch"]


class FlowNode:
    """A node of a flow that is being written; `>>` leads from it to another one."""

    def __init__(self, flow: "Flow", identity: str, written: dict[str, object]) -> None:
        """Nodes are made by their flow."""
        self._flow = flow
        self.id = identity
        self.written = written

    def __rshift__(self, other: "FlowNode") -> "FlowNode":
        """Lead to another node; gives that one, so that chains can be written."""
        return self.port(MAIN) >> other

    def port(self, name: str) -> "Port":
        """The way out by a port: `choice.port("true") >> yes`."""
        return Port(self._flow, self, name)

    @property
    def ref(self) -> str:
        """How expressions call its output."""
        return f"${self.id}" if self.id.isidentifier() else f'$["{self.id}"]'

    def on_error(self, strategy: OnError, handler: "FlowNode | None" = None) -> Self:
        """What follows when it fails for good; with `branch` the handler is led to, and sees `$error`."""
        if (strategy == "branch") is (handler is None):
            raise InvalidArgument("the strategy 'branch' needs a handler, and the others have none")
        self.written["error"] = {"type": strategy}
        if handler is not None:
            self.port("error") >> handler
        return self

    def retries(self, count: int, *, timeout: timedelta | None = None) -> Self:
        """How often its work is tried again, and how long one try may take."""
        self.written["retry"] = {"max_retries": count}
        if timeout is not None:
            self.written["timeout_ms"] = milliseconds(timeout)
        return self


class Port:
    """One way out of a node."""

    def __init__(self, flow: "Flow", node: FlowNode, name: str) -> None:
        """Ports are got from their nodes."""
        self._flow = flow
        self._node = node
        self._name = name

    def __rshift__(self, other: FlowNode) -> FlowNode:
        """Lead to a node."""
        self._flow.connect(self._node, other, port=self._name)
        return other


class Flow:
    """A flow that is being written; it is judged when it is saved."""

    def __init__(self, name: str, description: str = "") -> None:
        """`name` is what runs are started by."""
        self.name = name
        self.description = description
        self._nodes: dict[str, FlowNode] = {}
        self._edges: list[dict[str, object]] = []

    def node(
        self,
        identity: str,
        type: str | NodeDefinition[..., Any],  # noqa: A002 - the word users know
        **parameters: object,
    ) -> FlowNode:
        """A node of any type, with its parameters; a type of your own is given as it was made by `@node`."""
        if identity in self._nodes:
            raise InvalidArgument(f"flow {self.name!r} has a node {identity!r} already")
        name = type if isinstance(type, str) else type.name
        written: dict[str, object] = {"id": identity, "type": name, "parameters": parameters}
        made = self._nodes[identity] = FlowNode(self, identity, written)
        return made

    def connect(self, source: FlowNode, target: FlowNode, *, port: str = MAIN) -> None:
        """An edge; the same as `source >> target`."""
        for end in (source, target):
            if self._nodes.get(end.id) is not end:
                raise InvalidArgument(f"node {end.id!r} is of another flow")
        edge: dict[str, object] = {"id": f"e{len(self._edges) + 1}", "src": source.id, "dst": target.id}
        self._edges.append(edge if port == MAIN else edge | {"port": port})

    def task(
        self,
        identity: str,
        task: TaskDefinition[..., Any] | str,
        input: object = "$json",  # noqa: A002
    ) -> FlowNode:
        """Run a task on a worker."""
        name = task if isinstance(task, str) else task.task_type
        return self.node(identity, "task", task=name, input=input)

    def workflow(
        self,
        identity: str,
        workflow: WorkflowDefinition[..., Any] | str,
        input: object = "$json",  # noqa: A002
    ) -> FlowNode:
        """Run a workflow that is written in code."""
        name = workflow if isinstance(workflow, str) else workflow.kind
        return self.node(identity, "workflow", workflow=name, input=input)

    def wait(self, identity: str, duration: timedelta) -> FlowNode:
        """Park the branch for a while; `node(…, "wait", resume="signal", …)` waits for other things."""
        return self.node(identity, "wait", amount=duration.total_seconds(), unit="seconds")

    def when(self, identity: str, condition: str) -> FlowNode:
        """A choice with the ports `true` and `false`."""
        return self.node(identity, "conditional", condition=condition)

    def split(self, identity: str, items: object = "$json", **parameters: object) -> FlowNode:
        """One token for each item of a list."""
        return self.node(identity, "split", items=items, **parameters)

    def aggregate(self, identity: str, results: Literal["objects", "values"] = "objects") -> FlowNode:
        """Close a split: the results of its items, in their order."""
        return self.node(identity, "aggregate", results=results)

    def merge(self, identity: str, mode: Literal["all", "any"] = "all", **parameters: object) -> FlowNode:
        """Join branches."""
        return self.node(identity, "merge", mode=mode, **parameters)

    def edit(self, identity: str, value: object) -> FlowNode:
        """Make a new value."""
        return self.node(identity, "edit", value=value)

    @property
    def definition(self) -> Mapping[str, object]:
        """The JSON of the flow, for `save_flow` and for files."""
        made: dict[str, object] = {
            "name": self.name,
            "nodes": [node.written for node in self._nodes.values()],
            "edges": list(self._edges),
        }
        return made | {"description": self.description} if self.description else made
