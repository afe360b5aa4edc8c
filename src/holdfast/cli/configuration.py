"""Where the settings come from: the command line, then HOLDFAST_* variables, then pyproject.toml, then defaults.

[tool.holdfast] has `db`, `url`, `tenant`, `app`, where the token is found (`token_file`, `token_env`), `tls_ca`, the
authority of the server's certificate, `tls_cert` and `tls_key`, what is shown to a server that asks for a certificate,
and `allow`, where flows may connect beside public addresses.
[tool.holdfast.profiles.NAME] has the same and wins when `--profile NAME` or HOLDFAST_PROFILE names it. A token itself
stands neither there nor on a command line, where others could read it.
"""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from holdfast.model.errors import InvalidArgument

DEFAULT_DB: Final = "sqlite:///holdfast.db"
FILE: Final = "pyproject.toml"
FILES: Final = ("token_file", "tls_ca", "tls_cert", "tls_key")
SETTINGS: Final = ("db", "url", "tenant", "app", "token_env", "allow", *FILES)
MAX_TOKEN: Final = 16_384
_RELATIVE: Final = "sqlite:///"


class Token:
    """A secret that lets its holder in; it is never shown, whatever prints it."""

    def __init__(self, text: str) -> None:
        self.text: Final = text

    def __repr__(self) -> str:
        return "Token(…)"


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """What a command works on."""

    db: str
    url: str | None
    """The server to ask; None: the database is opened here."""
    tenant: str | None
    app: str | None
    token: Token | None
    tls_ca: str | None
    tls_cert: str | None = None
    tls_key: str | None = None
    allow: tuple[str, ...] = ()
    """Where http and smtp nodes of flows may connect beside public addresses."""
    db_is_default: bool
    """Whether every command of this folder finds the database without being told."""

    @property
    def target(self) -> str:
        """The server's URL, or else the database's."""
        return self.url or self.db


def configure(
    *,
    db: str | None,
    url: str | None = None,
    tenant: str | None = None,
    profile: str | None,
    environ: Mapping[str, str],
    folder: Path,
) -> Configuration:
    """The settings of a command that is called in `folder`."""
    found = _from_file(folder, profile or environ.get("HOLDFAST_PROFILE"))
    chosen = environ.get("HOLDFAST_DB") or found.get("db") or DEFAULT_DB
    if db is None and url is None:
        # A variable says more about this call than a file does, whichever of the two it names.
        url = environ.get("HOLDFAST_URL") or (None if "HOLDFAST_DB" in environ else found.get("url"))
    return Configuration(
        db=db or chosen,
        url=url,
        tenant=tenant or environ.get("HOLDFAST_TENANT") or found.get("tenant"),
        app=environ.get("HOLDFAST_APP") or found.get("app"),
        token=_token(found, environ),
        tls_ca=environ.get("HOLDFAST_TLS_CA") or found.get("tls_ca"),
        tls_cert=environ.get("HOLDFAST_TLS_CERT") or found.get("tls_cert"),
        tls_key=environ.get("HOLDFAST_TLS_KEY") or found.get("tls_key"),
        allow=tuple((environ.get("HOLDFAST_ALLOW") or found.get("allow") or "").split()),
        db_is_default=db in (None, chosen),
    )


def _token(found: Mapping[str, str], environ: Mapping[str, str]) -> Token | None:
    text = environ.get("HOLDFAST_TOKEN")
    if not text and "token_env" in found:
        text = environ.get(found["token_env"])
        if not text:
            raise InvalidArgument(f"token_env names the variable {found['token_env']}, which is not set")
    if not text and "token_file" in found:
        text = _read_token(Path(found["token_file"]).expanduser())
    return Token(text) if text else None


def _read_token(file: Path) -> str:
    try:
        with file.open(encoding="ascii") as opened:
            text = opened.read(MAX_TOKEN).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"token_file {file} cannot be read: {error}") from error
    if not text:
        raise InvalidArgument(f"token_file {file} is empty")
    return text


def _from_file(folder: Path, profile: str | None) -> dict[str, str]:
    file = next((each / FILE for each in (folder, *folder.parents) if (each / FILE).is_file()), None)
    if file is None:
        table: dict[str, object] = {}
        file = folder / FILE
    else:
        table = _table(file)
    profiles = table.pop("profiles", {})
    settings = table if profile is None else table | _profile(profiles, profile, file)
    return {name: _checked(name, value, file) for name, value in settings.items()}


def _profile(profiles: object, profile: str, file: Path) -> dict[str, object]:
    if not isinstance(profiles, dict) or not all(isinstance(each, dict) for each in profiles.values()):
        raise InvalidArgument(f"{file}: profiles are tables, [tool.holdfast.profiles.NAME]")
    if profile not in profiles:
        known = f"there are {', '.join(profiles)}" if profiles else f"add [tool.holdfast.profiles.{profile}]"
        raise InvalidArgument(f"there is no profile {profile!r} in {file}; {known}")
    return dict(profiles[profile])


def _table(file: Path) -> dict[str, object]:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{file} is not TOML: {error}") from error
    table = content.get("tool", {}).get("holdfast", {})
    return dict(table) if isinstance(table, dict) else {}


def _checked(name: str, value: object, file: Path) -> str:
    place = f"[tool.holdfast] of {file}"
    if name == "token":
        raise InvalidArgument(f"{place}: a token is not kept in a shared file; use token_file or token_env")
    if name not in SETTINGS:
        near = difflib.get_close_matches(name, SETTINGS, 1)
        raise InvalidArgument(
            f"{place}: {name!r} is no setting; " + (f"did you mean {near[0]!r}?" if near else "remove it")
        )
    if not isinstance(value, str):
        raise InvalidArgument(f"{place}: {name} is a text, not {value!r}")
    return _beside(file, name, value)


def _beside(file: Path, name: str, value: str) -> str:
    """What the file names relatively lies beside the file, wherever the command is called."""
    folder = file.parent.absolute()
    if name == "db":
        relative = value.startswith(_RELATIVE) and not value.startswith(f"{_RELATIVE}/")
        return f"{_RELATIVE}/{(folder / value.removeprefix(_RELATIVE)).as_posix().lstrip('/')}" if relative else value
    if name in FILES:
        return str(folder / Path(value).expanduser())
    return str(folder / value) if value.partition(":")[0].endswith(".py") else value
