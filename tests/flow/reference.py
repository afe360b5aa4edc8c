"""What a run of a flow must come to: a plain recursive interpreter, with no queue, no store and no time.

A scope is walked in the order of its nodes, so whoever comes to a merge knows that nothing can arrive there any more. A
split calls itself for each item, a loop for each iteration. These rules are the contract of the real engine:

- A node runs once for each token that arrives; a merge once for all of them. Tokens at a node are ranked by the edge
  that they came by, then by the rank of the token before. Where one of several is wanted (the value of an edge into a
  merge, an item's result at its aggregate, the output of a result node) the lowest rank is taken. `any` takes any.
- A token carries the outputs of the nodes on its way. A merge unites them, lower ranks first. An aggregate goes on
  with what its split was entered with; so does a loop. An error edge does not carry the node that failed.
- A failure that is not dealt with by its node goes up to the node that opened the scope: a split counts it against its
  tolerance, a loop fails; then the error strategy of that node decides in turn. At the top the run fails.
- A node's work may be repeated and its wait may last; nothing of that can be seen in the result.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from holdfast.engine.flow.definition import ERROR, MAIN, NodeId
from holdfast.engine.flow.evaluation import (
    after_failure,
    aggregated,
    completed,
    error_data,
    evaluate,
    left_early,
    merged,
    repeated,
    run_output,
)
from holdfast.engine.flow.expressions.frame import MISSING, Scope
from holdfast.engine.flow.graph import Graph, GraphEdge, GraphNode
from holdfast.engine.flow.nodes.fan_out import BODY, ItemResult, MergeParameters
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.outcomes import (
    Asked,
    Emitted,
    Halted,
    IterationStarted,
    NodeFailed,
    OnSignal,
    Parked,
    SplitOpened,
    WorkRequested,
)
from holdfast.model.failures import Failure
from holdfast.model.instants import Instant

Work = Callable[[WorkRequested], object]
NOW = Instant(1_790_000_000_000)


class WorkFailed(Exception):
    """What the stand-in for a worker raises when the work fails for good."""


class RunFailed(Exception):
    """A failure that goes up."""

    def __init__(self, halted: Halted) -> None:
        super().__init__(halted.failure.message)
        self.halted = halted


@dataclass(frozen=True)
class Token:
    """A value that travels, and all that came with it."""

    value: object
    outputs: Mapping[NodeId, object] = field(default_factory=dict)
    error: object = MISSING
    item: object = MISSING
    index: object = MISSING
    trigger: object = None

    def scope(self) -> Scope:
        return Scope(self.value, self.outputs, self.trigger, self.item, self.index, self.error)


Arrivals = dict[NodeId, list[tuple[GraphEdge | None, Token]]]


@dataclass(frozen=True)
class Left:
    """A token that has left a node by a port."""

    node: GraphNode
    port: str
    token: Token


class Reference:
    """Runs a flow."""

    def __init__(self, graph: Graph, work: Work) -> None:
        self.graph = graph
        self.work = work
        self.ran: list[NodeId] = []

    def run(self, trigger: object = None, entry: NodeId | None = None) -> object:
        """The run's output; RunFailed if it fails."""
        start = Token(trigger, trigger=trigger)
        entries = self.graph.entries if entry is None else (entry,)
        results = self.walk((), {each: [(None, start)] for each in entries}, None)
        return run_output(self.graph, {node: token.value for node, token in results.items()})

    def walk(self, stack: tuple[NodeId, ...], arrivals: Arrivals, end: NodeId | None) -> dict[NodeId, Token]:
        """Run the nodes of one scope; gives the tokens of lowest rank at its result nodes, and at its end."""
        results: dict[NodeId, Token] = {}
        for node_id in self.graph.order:
            node = self.graph.nodes[node_id]
            if node.scopes != stack or node_id not in arrivals:
                continue
            came = ranked(arrivals[node_id])
            for token in [self.joined(node, came)] if node.role is Role.MERGE else [token for _, token in came]:
                self.ran.append(node_id)
                for left in self.step(node, token):
                    if left.node.ends and left.port != ERROR:
                        results.setdefault(left.node.id, left.token)
                    for edge in left.node.leaving(left.port):
                        arrivals.setdefault(edge.dst, []).append((edge, left.token))
        if end is not None and end in arrivals:
            results[end] = ranked(arrivals[end])[0][1]
        return results

    def joined(self, node: GraphNode, came: Sequence[tuple[GraphEdge | None, Token]]) -> Token:
        """One token of all that came to a merge; its value are the senders' names and values."""
        parameters = node.parameters
        assert isinstance(parameters, MergeParameters)
        if parameters.mode == "any":
            came = came[:1]
        firsts: dict[str, tuple[str, Token]] = {}
        outputs: dict[NodeId, object] = {}
        for edge, token in came:
            assert edge is not None
            firsts.setdefault(edge.id, (self.graph.nodes[edge.src].name, token))
            outputs = {**token.outputs, **outputs}
        errors = [token.error for _, token in came if token.error is not MISSING]
        pairs = [(name, token.value) for name, token in firsts.values()]
        return replace(came[0][1], value=pairs, outputs=outputs, error=errors[0] if errors else MISSING)

    def step(self, node: GraphNode, token: Token) -> list[Left]:
        """Where a token goes on to, and as what."""
        if node.role is Role.MERGE:
            pairs = token.value
            assert isinstance(pairs, list)
            return self.settled(node, token, merged(node, token.scope(), pairs, NOW))
        match evaluate(node, token.scope(), NOW):
            case SplitOpened() as opened:
                return self.closed(node, token, self.items(node, token, opened))
            case IterationStarted(value):
                return self.settled(node, token, self.iterations(node, token, value))
            case WorkRequested() as request:
                return self.settled(node, token, self.worked(node, token, request))
            case Parked(OnSignal(name)):
                return self.settled(node, token, completed(node, token.scope(), {"signal": name}, NOW))
            case Parked():
                return self.settled(node, token, completed(node, token.scope(), None, NOW))
            case Asked():
                return self.settled(node, token, completed(node, token.scope(), {"approved": True}, NOW))
            case Emitted() | NodeFailed() as outcome:
                return self.settled(node, token, outcome)

    def settled(self, node: GraphNode, token: Token, outcome: Emitted | NodeFailed) -> list[Left]:
        """The token that leaves the node, by the error strategy if it has failed."""
        if isinstance(outcome, NodeFailed):
            after = after_failure(node, outcome.failure, token.scope())
            if isinstance(after, Halted):
                raise RunFailed(after)
            if after.error is not None:
                return [Left(node, after.port, replace(token, value=after.output, error=after.error))]
            outcome = after
        return [Left(node, outcome.port, carrying(node, token, outcome.output))]

    def worked(self, node: GraphNode, token: Token, request: WorkRequested) -> Emitted | NodeFailed:
        try:
            result = self.work(request)
        except WorkFailed as error:
            return NodeFailed(Failure("WorkFailed", str(error)))
        return completed(node, token.scope(), result, NOW)

    def items(self, node: GraphNode, token: Token, opened: SplitOpened) -> list[ItemResult] | NodeFailed:
        """How each item of a split ended; a failure, if more than are tolerated have failed."""
        results: list[ItemResult] = []
        failures: list[Failure] = []
        for index, item in enumerate(opened.items):
            branch = replace(carrying(node, token, item), item=item, index=index)
            try:
                ended = self.walk((*node.scopes, node.id), sent(node, branch, MAIN), node.closed_by)
            except RunFailed as error:
                failures.append(error.halted.failure)
                failed = self.graph.nodes[error.halted.node]
                results.append(ItemResult(index, "failed", error=error_data(failed, error.halted.failure)))
                continue
            came = ended.get(node.closed_by) if node.closed_by else None
            results.append(ItemResult(index, "success", came.value) if came else ItemResult(index, "skipped"))
        return results if len(failures) <= opened.tolerated else NodeFailed(failures[0])

    def closed(self, node: GraphNode, token: Token, results: list[ItemResult] | NodeFailed) -> list[Left]:
        """What follows the end of a split: its aggregate, if it has one."""
        if isinstance(results, NodeFailed):
            return self.settled(node, token, results)
        if node.closed_by is None:
            return []
        aggregate = self.graph.nodes[node.closed_by]
        self.ran.append(aggregate.id)
        return self.settled(aggregate, token, aggregated(aggregate, token.scope(), results, NOW))

    def iterations(self, node: GraphNode, token: Token, value: object) -> Emitted | NodeFailed:
        """All iterations of a loop, of which the first is about to start."""
        iteration = 0
        while True:
            body = replace(carrying(node, token, value), index=iteration)
            try:
                ended = self.walk((*node.scopes, node.id), sent(node, body, BODY), node.id)
            except RunFailed as error:
                return NodeFailed(error.halted.failure)
            iteration += 1
            if node.id not in ended:
                return left_early(node, token.scope(), value, NOW)
            outcome = repeated(node, token.scope(), ended[node.id].value, iteration, NOW)
            if not isinstance(outcome, IterationStarted):
                return outcome
            value = outcome.output


def ranked(came: Sequence[tuple[GraphEdge | None, Token]]) -> list[tuple[GraphEdge | None, Token]]:
    """By edge; those of one edge in the order in which they left its source."""
    return sorted(came, key=lambda each: -1 if each[0] is None else each[0].index)


def carrying(node: GraphNode, token: Token, output: object) -> Token:
    return replace(token, value=output, outputs={**token.outputs, node.id: output})


def sent(node: GraphNode, token: Token, port: str) -> Arrivals:
    arrivals: Arrivals = {}
    for edge in node.leaving(port):
        arrivals.setdefault(edge.dst, []).append((edge, token))
    return arrivals
