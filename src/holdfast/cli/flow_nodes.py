"""The http and smtp nodes of flows under `holdfast dev` and `holdfast worker`: where they may connect."""

from typing import TYPE_CHECKING

import click

from holdfast.cli.configuration import Configuration

if TYPE_CHECKING:
    from holdfast.worker.nodes.offering import FlowNodes

Allowed = tuple[str, ...] | None
"""Where http and smtp nodes may connect beside public addresses; None: their work is left to other workers."""


def node_options(function: click.decorators.FC) -> click.decorators.FC:
    """The options of a command that runs an app."""
    for option in (
        click.option(
            "--nodes/--no-nodes",
            "does_nodes",
            default=True,
            help="Do the work of flows' http and smtp nodes; their secrets are variables, HOLDFAST_SECRET_NAME.",
        ),
        click.option(
            "--allow",
            multiple=True,
            metavar="NETWORK|HOST[:PORT]",
            help="Let these nodes connect there, though it is not public; also HOLDFAST_ALLOW.",
        ),
    ):
        function = option(function)
    return function


def allowed(configuration: Configuration, allow: tuple[str, ...], *, does_nodes: bool) -> Allowed:
    """What the options and the settings say, if it can be understood."""
    from holdfast.worker.nodes.destinations import AllowList

    if not does_nodes:
        return None
    chosen = allow or configuration.allow
    AllowList.of(chosen)
    return chosen


def nodes_for(allow: Allowed) -> "FlowNodes | None":
    """What a worker is given; secrets are found in its environment."""
    from holdfast.worker.nodes.offering import FlowNodes

    return None if allow is None else FlowNodes(allow=allow)
