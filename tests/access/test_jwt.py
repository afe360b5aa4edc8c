"""Tokens of an identity provider."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from holdfast.model.access import Role
from holdfast.model.errors import InvalidArgument, Unauthenticated, Unavailable
from holdfast.model.ids import ALL_TENANTS
from holdfast.server.access.jwt import JwtAuthenticator, JwtSettings

RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
STRANGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ISSUER, AUDIENCE = "https://id.example", "holdfast"


def jwks(*names: str) -> dict[str, Any]:
    known = {
        "rsa": json.loads(RSAAlgorithm.to_jwk(RSA_KEY.public_key())) | {"kid": "rsa", "alg": "RS256", "use": "sig"},
        "ec": json.loads(ECAlgorithm.to_jwk(EC_KEY.public_key())) | {"kid": "ec"},
    }
    return {"keys": [known[name] for name in names or known]}


def token(key: Any = RSA_KEY, kid: str = "rsa", algorithm: str = "RS256", **claims: object) -> str:
    now = int(time.time())
    given = {
        "iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "iat": now, "exp": now + 60,
        "holdfast_tenant": "acme", "holdfast_roles": ["operator"], **claims,
    }  # fmt: skip
    return jwt.encode({name: value for name, value in given.items() if value is not None}, key, algorithm, {"kid": kid})


async def authenticator(folder: Path) -> JwtAuthenticator:
    file = folder / "jwks.json"
    file.write_text(json.dumps(jwks()), encoding="utf-8")
    made = JwtAuthenticator(JwtSettings(jwks=str(file), issuer=ISSUER, audience=AUDIENCE))
    await made.load()
    return made


@pytest.mark.parametrize(
    ("key", "kid", "algorithm"), [(RSA_KEY, "rsa", "RS256"), (EC_KEY, "ec", "ES256")], ids=["RS256", "ES256"]
)
async def test_claims_make_an_identity(tmp_path: Path, key: Any, kid: str, algorithm: str) -> None:
    given = token(key, kid, algorithm)
    checked = await authenticator(tmp_path)
    identity = await checked.identify(given)
    assert (identity.name, identity.tenant, identity.roles) == ("jwt:ada", "acme", frozenset({Role.OPERATOR}))
    assert identity.expires_at is not None
    assert checked.knows(given)


async def test_roles_may_be_words_and_a_tenant_may_be_all(tmp_path: Path) -> None:
    identity = await (await authenticator(tmp_path)).identify(
        token(holdfast_tenant="*", holdfast_roles="admin x worker")
    )
    assert (identity.tenant, identity.roles) == (ALL_TENANTS, frozenset({Role.ADMIN, Role.WORKER}))


SECRET = "a shared secret that is long enough for this algorithm"
# Made when they are asked for: a token that has expired meanwhile would be refused for the wrong reason.
REFUSED: dict[str, Callable[[], str]] = {
    "another key": lambda: token(STRANGER),
    "an unknown key": lambda: token(kid="other"),
    "a shared secret": lambda: jwt.encode({"sub": "ada"}, SECRET, "HS256", {"kid": "rsa"}),
    "no signature": lambda: jwt.encode({"sub": "ada"}, "", "none", {"kid": "rsa"}),
    "the wrong algorithm of a key": lambda: token(EC_KEY, "rsa", "ES256"),
    "another issuer": lambda: token(iss="https://evil.example"),
    "another audience": lambda: token(aud="somebody"),
    "expired": lambda: token(exp=int(time.time()) - 60),
    "not valid yet": lambda: token(nbf=int(time.time()) + 600),
    "no expiry": lambda: token(exp=None),
    "no subject": lambda: token(sub=None),
    "no tenant": lambda: token(holdfast_tenant=None),
    "a tenant of no form": lambda: token(holdfast_tenant="a b\n"),
    "no roles": lambda: token(holdfast_roles=None),
    "unknown roles": lambda: token(holdfast_roles=["root", 7]),
    "no JWT": lambda: "a.b.c",
}


@pytest.mark.parametrize("name", REFUSED)
async def test_everything_else_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Unauthenticated):
        await (await authenticator(tmp_path)).identify(REFUSED[name]())


class Provider:
    """An identity provider on this machine, whose keys change."""

    def __init__(self) -> None:
        self.document = jwks("rsa")
        self.status = 200
        self.asked = 0
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                described = self.path == "/.well-known/openid-configuration"
                provider.asked += not described
                self.send_response(provider.status)
                self.end_headers()
                self.wfile.write(json.dumps(provider.description if described else provider.document).encode())

            def log_message(self, *_: object) -> None:
                """Quietly."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        self.url = f"{self.issuer}/keys"
        self.description: Any = {"issuer": self.issuer, "jwks_uri": self.url, "scopes_supported": ["openid"]}
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider()
    yield made
    made.server.shutdown()
    made.server.server_close()
    made.thread.join()


class Seconds:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_new_keys_are_fetched_but_not_for_every_stranger(provider: Provider) -> None:
    seconds = Seconds()
    settings = JwtSettings(jwks=provider.url, issuer=ISSUER, audience=AUDIENCE)
    checked = JwtAuthenticator(settings, now=seconds)
    await checked.load()
    rotated = token(EC_KEY, "ec", "ES256")
    provider.document = jwks("ec")
    for _ in range(3):
        with pytest.raises(Unauthenticated):
            await checked.identify(rotated)
    assert provider.asked == 1
    seconds.now = 11.0
    assert (await checked.identify(rotated)).name == "jwt:ada"
    with pytest.raises(Unauthenticated):
        await checked.identify(token())


async def test_a_provider_that_is_down_changes_nothing_until_its_keys_are_unknown(provider: Provider) -> None:
    seconds = Seconds()
    settings = JwtSettings(jwks=provider.url, issuer=ISSUER, audience=AUDIENCE)
    checked = JwtAuthenticator(settings, now=seconds)
    provider.status = 500
    with pytest.raises(Unavailable, match="identity provider"):
        await checked.identify(token())
    provider.status = 200
    await checked.load()
    provider.status = 500
    seconds.now = 1_000.0
    assert (await checked.identify(token())).name == "jwt:ada"


async def test_the_issuer_says_where_its_keys_are(provider: Provider) -> None:
    checked = JwtAuthenticator(JwtSettings(issuer=provider.issuer, audience=AUDIENCE))
    await checked.load()
    assert (await checked.identify(token(iss=provider.issuer))).name == "jwt:ada"
    with pytest.raises(Unauthenticated):
        await checked.identify(token())


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ({"issuer": "https://evil.example"}, "speaks for the issuer"),
        ({"jwks_uri": "http://id.example/keys"}, "must be an https URL"),
        ({"jwks_uri": "file:///etc/keys"}, "must be an https URL"),
        ({"jwks_uri": "/etc/keys"}, "must be an https URL"),
        ({"jwks_uri": 7}, "does not describe"),
    ],
)
async def test_a_description_that_cannot_be_trusted_is_refused(
    provider: Provider, description: dict[str, Any], words: str
) -> None:
    provider.description |= description
    with pytest.raises(InvalidArgument, match=words):
        await JwtAuthenticator(JwtSettings(issuer=provider.issuer, audience=AUDIENCE)).load()


async def test_an_issuer_is_asked_over_https() -> None:
    with pytest.raises(InvalidArgument, match="must be an https URL"):
        await JwtAuthenticator(JwtSettings(issuer="http://id.example", audience=AUDIENCE)).load()
