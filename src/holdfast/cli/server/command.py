"""`holdfast server`: an engine behind gRPC and REST."""

import asyncio
import gc
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from holdfast.cli.dev.serving import Stopping
from holdfast.cli.event_loops import quick_loop
from holdfast.cli.exits import ExtraMissing
from holdfast.cli.logs import set_up_logging
from holdfast.cli.parameters import Duration
from holdfast.cli.server.descriptors import raise_descriptor_limit
from holdfast.cli.session import Session, with_session
from holdfast.cli.telling import Teller

if TYPE_CHECKING:
    from holdfast.server.service import ServiceSettings

PORT = click.IntRange(0, 65_535)


@click.command("server")
@click.option(
    "--store", metavar="URL", help="The database, sqlite:///file.db or postgresql://…; by default that of --db."
)
@click.option("--timers", metavar="URL", help="Keep the index of timers in Redis, redis://host:6379/0.")
@click.option("--broker", metavar="URL", help="Carry runs of flows by RabbitMQ, amqp://host:5672/.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--grpc-port", type=PORT, default=8234, show_default=True, help="For workers and programs; 0: any.")
@click.option("--rest-port", type=PORT, default=8233, show_default=True, help="For everyone else; 0: any.")
@click.option(
    "--notice", type=Duration(), default="0s", show_default=True,
    help="How long to go on at the end, when the server has said that it is not ready any more.",
)  # fmt: skip
@click.option(
    "--auth", "methods", multiple=True, type=click.Choice(["keys", "jwt"]),
    help="How callers are told apart; without it everyone on this machine is let in, and nobody else.",
)  # fmt: skip
@click.option(
    "--jwks", default="", metavar="FILE|URL", help="The identity provider's keys, for jwt; else what --issuer names."
)
@click.option("--issuer", default="", help="Whose tokens are taken, for jwt.")
@click.option("--audience", default="", help="For whom the tokens must be made, for jwt.")
@click.option(
    "--tls-cert", default=None, metavar="FILE", help="The certificate (PEM) with which gRPC and REST are served."
)
@click.option("--tls-key", default=None, metavar="FILE", help="Its key.")
@click.option("--tls-client-ca", default=None, metavar="FILE", help="Take only clients with certificates of this CA.")
@click.option("--plain-rest", is_flag=True, help="Serve REST without TLS all the same, for a proxy that ends it.")
@with_session
def server(
    session: Session,
    store: str | None,
    timers: str | None,
    broker: str | None,
    host: str,
    grpc_port: int,
    rest_port: int,
    notice: timedelta,
    methods: tuple[str, ...],
    jwks: str,
    issuer: str,
    audience: str,
    tls_cert: str | None,
    tls_key: str | None,
    tls_client_ca: str | None,
    plain_rest: bool,
) -> None:
    """Serve an engine over gRPC and REST, until SIGTERM or Ctrl-C.

    Only this machine can reach it, and whoever can is let in, unless --auth is given.

    At the end the server first says that it is not ready, then lets calls and streams end. A second signal ends it at
    once; nothing that was acknowledged is lost.
    """
    try:
        from holdfast.protocol.tls import Tls
        from holdfast.server.access.building import AccessSettings
        from holdfast.server.service import ServiceSettings
    except ModuleNotFoundError as error:
        raise ExtraMissing("holdfast server", "server", error) from error

    settings = ServiceSettings(
        store=store or session.configuration.db,
        timers=timers,
        broker=broker,
        host=host,
        grpc_port=grpc_port,
        rest_port=rest_port,
        access=AccessSettings(methods=methods, jwks=jwks, issuer=issuer, audience=audience),
        tls=Tls(certificate=tls_cert, key=tls_key, ca=tls_client_ca) if tls_cert or tls_key or tls_client_ca else None,
        plain_rest=plain_rest,
        notice_seconds=notice.total_seconds(),
    )
    set_up_logging()
    raise_descriptor_limit()
    # Much of what a lone request costs is the event loop's own work, which uvloop does in C.
    with asyncio.Runner(loop_factory=quick_loop()) as runner:
        runner.run(_serve(settings, Teller(as_json=session.output.json_was_asked_for)))


async def _serve(settings: "ServiceSettings", teller: Teller) -> None:
    from holdfast.server.service import serve

    stopping = Stopping()
    with stopping.on_signals():
        async with serve(settings) as at:
            # What has been imported stays: a full collection, which stops everybody, need not walk through it.
            gc.collect()
            gc.freeze()
            sentence = f"serving {settings.store} at {at.grpc} (gRPC) and {at.rest} (REST)"
            teller.say("serving", sentence, store=settings.store, grpc=at.grpc, rest=at.rest)
            await stopping.asked()
            teller.say("draining", "letting calls and streams end; once more stops at once")
    teller.say("stopped", "stopped")
