"""A server whose authentication is wrong does not start."""

import json
import random
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from holdfast.model.access import Role
from holdfast.model.errors import InvalidArgument, Unavailable
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.server import wiring
from holdfast.server.access.administration import Administration, Kept
from holdfast.server.access.audit import AuditLog
from holdfast.server.access.building import AccessSettings, build_gate
from holdfast.server.access.gate import Gate, open_gate
from holdfast.server.clock import SystemClock

LOOPBACK, ANYWHERE = "127.0.0.1", "0.0.0.0"
CLOCK, CHANCE = SystemClock(), random.Random(1)
ISSUER, AUDIENCE = "https://id.example", "holdfast"


async def built(
    folder: Path, host: str, *methods: str, keys: int = 0, jwks: str = "", issuer: str = "", audience: str = ""
) -> Gate:
    store = wiring.open_served_store(f"sqlite:///{folder}/app.db")
    await store.open()
    try:
        kept = Kept(store, CLOCK, AuditLog(store=store, clock=CLOCK, chance=CHANCE))
        administration = Administration(kept=kept, by="test")
        for _ in range(keys):
            await administration.create_key(DEFAULT_TENANT, [Role.ADMIN])
        asked = AccessSettings(methods=methods, jwks=jwks, issuer=issuer, audience=audience)
        return await build_gate(asked, host=host, store=store, clock=CLOCK, chance=CHANCE)
    finally:
        await store.close()


def jwks(folder: Path, document: object) -> str:
    file = folder / "jwks.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("host", [ANYWHERE, "::", "192.168.0.7", "example.org", "", "127.0.0.1.example.org"])
async def test_other_machines_are_not_served_without_authentication(tmp_path: Path, host: str) -> None:
    with pytest.raises(InvalidArgument, match="--auth"):
        await built(tmp_path, host)
    with pytest.raises(InvalidArgument, match=r"no authentication"):
        open_gate().check_host(host)


@pytest.mark.parametrize("host", [LOOPBACK, "::1", "localhost", "127.0.0.7"])
async def test_this_machine_is_served_and_told_that_it_is_open(
    tmp_path: Path, host: str, caplog: pytest.LogCaptureFixture
) -> None:
    gate = await built(tmp_path, host, keys=1)
    assert gate.is_open
    assert "OPEN TO EVERYONE ON THIS MACHINE" in caplog.text
    assert "the database has keys, but nobody is asked for one" in caplog.text


def test_no_authenticator_does_not_mean_everyone() -> None:
    with pytest.raises(InvalidArgument, match="authenticator"):
        Gate(authenticators=[])


async def test_keys_without_any_key(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="holdfast key create"):
        await built(tmp_path, ANYWHERE, "keys")
    assert not (await built(tmp_path, ANYWHERE, "keys", keys=1)).is_open


@pytest.mark.parametrize("missing", ["issuer", "audience"])
async def test_jwt_without_one_of_its_settings(tmp_path: Path, missing: str) -> None:
    given = {"jwks": "keys.json", "issuer": ISSUER, "audience": AUDIENCE, missing: ""}
    with pytest.raises(InvalidArgument, match=f"needs {missing}"):
        await built(tmp_path, ANYWHERE, "jwt", jwks=given["jwks"], issuer=given["issuer"], audience=given["audience"])


SYMMETRIC = {"kty": "oct", "k": "c2VjcmV0", "alg": "HS256", "kid": "1"}


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ("", "not a JWKS"),
        ("[]", "not a JWKS"),
        ({"keys": 1}, "not a JWKS"),
        ({"keys": []}, "no key for RS256 or ES256"),
        ({"keys": [SYMMETRIC]}, "no key for RS256 or ES256"),
        ({"keys": [{"kty": "RSA", "alg": "RS256", "n": "!", "e": "AQAB"}]}, "not a JWKS"),
    ],
)
async def test_jwt_without_a_key_that_can_be_used(tmp_path: Path, document: object, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        await built(tmp_path, ANYWHERE, "jwt", jwks=jwks(tmp_path, document), issuer=ISSUER, audience=AUDIENCE)


@pytest.mark.parametrize("place", ["http://id.example/keys", "ftp://id.example/keys", "/nowhere/keys.json"])
async def test_jwt_with_keys_from_a_place_that_cannot_be_trusted(tmp_path: Path, place: str) -> None:
    with pytest.raises(InvalidArgument, match=r"https|cannot be read"):
        await built(tmp_path, ANYWHERE, "jwt", jwks=place, issuer=ISSUER, audience=AUDIENCE)


async def test_jwt_with_a_provider_that_does_not_answer(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be fetched"):
        await built(tmp_path, ANYWHERE, "jwt", jwks="http://127.0.0.1:9/keys", issuer=ISSUER, audience=AUDIENCE)


async def test_jwt_with_a_key(tmp_path: Path) -> None:
    public = rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key()
    document = {"keys": [json.loads(RSAAlgorithm.to_jwk(public)) | {"kid": "1", "alg": "RS256"}]}
    assert not (
        await built(tmp_path, ANYWHERE, "jwt", jwks=jwks(tmp_path, document), issuer=ISSUER, audience=AUDIENCE)
    ).is_open


async def test_methods_that_do_not_exist_and_settings_of_those_not_asked_for(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="none of keys, jwt"):
        await built(tmp_path, LOOPBACK, "ldap")
    with pytest.raises(InvalidArgument, match="which is not asked for"):
        await built(tmp_path, LOOPBACK, jwks="keys.json")
