"""Waits for a request: the link to a wait node of a flow's run ends the wait, once.

Nobody has a token here. A link is signed with a key of its run, names one wait, and expires. It is good once: what has
been brought, the wait does not wait for again. Whatever is wrong with a link is answered alike, and before anything is
read of what comes with it.
"""

from typing import Final

from holdfast.engine.flow.run import links
from holdfast.engine.flow.run.links import WaitLink
from holdfast.model.errors import NotFound
from holdfast.model.flow_requests import DeliverWebhook
from holdfast.sdk.payload import MAX_PAYLOAD_BYTES
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import Document
from holdfast.server.rest.receiving import received
from holdfast.server.rest.strangers import admitted, nothing, told

NO_REFERRER: Final = [(b"referrer-policy", b"no-referrer")]
"""Whoever follows a link is not to tell others where they have been."""


class WaitEndedDocument(Document, frozen=True):
    """The wait is over, and the run goes on."""

    ended: bool = True


async def end_wait(call: Call) -> Answer:
    """End a wait by its link; the request is the wait node's output."""
    link = await _signed(call)
    await admitted(call, link.tenant)
    body = await received(call, MAX_PAYLOAD_BYTES)
    request = DeliverWebhook(link.tenant, link.execution_id, link.token, call.method, told(call, body))
    try:
        await call.engine.send(request)
    except NotFound as error:
        raise nothing(call) from error
    return Answer(WaitEndedDocument(), headers=NO_REFERRER)


async def _signed(call: Call) -> WaitLink:
    text = call.names["link"]
    link = links.read(text)
    if link is None:
        raise nothing(call)
    root = await call.engine.store.frame((link.tenant, link.execution_id, "", 0))
    if root is None or not links.is_signed(text, root.state.link_key) or link.expires_at <= call.engine.clock.now():
        raise nothing(call)
    return link
