"""TLS of REST: what a socket needs to be served with a certificate, and to see those of its clients."""

import ssl
from pathlib import Path

from holdfast.model.errors import InvalidArgument
from holdfast.protocol.tls import Tls, read_pem


def server_context(tls: Tls) -> ssl.SSLContext:
    """What a server speaks TLS with; with a `ca` only clients that show a certificate of it are heard."""
    if tls.certificate is None or tls.key is None:
        raise InvalidArgument("TLS of a server needs a certificate and its key")
    for file in (tls.certificate, tls.key, tls.ca):
        # The library's own errors do not say which file they are about.
        read_pem(file)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(Path(tls.certificate), Path(tls.key), password=_no_password)
        if tls.ca is not None:
            context.load_verify_locations(cafile=Path(tls.ca))
            context.verify_mode = ssl.CERT_REQUIRED
    except (ssl.SSLError, ValueError) as error:
        raise InvalidArgument(f"REST cannot be served with these files for TLS: {error}") from error
    return context


def _no_password() -> str:
    """Asked for by a key that is locked: a server has nobody to ask."""
    raise InvalidArgument("the key for TLS is locked with a password; a server needs one that is not")
