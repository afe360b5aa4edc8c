"""Where the settings come from."""

from pathlib import Path

import pytest

from holdfast.cli.configuration import Configuration, configure
from holdfast.model.errors import InvalidArgument


def configured(
    folder: Path, toml: str = "", *, db: str | None = None, profile: str | None = None, **environ: str
) -> Configuration:
    if toml:
        (folder / "pyproject.toml").write_text(toml, encoding="utf-8")
    below = folder / "below"
    below.mkdir(exist_ok=True)
    return configure(db=db, profile=profile, environ=environ, folder=below)


TABLE = '[tool.holdfast]\ndb = "sqlite:///shop.db"\napp = "shop.py:all"\n'
PROFILES = f'{TABLE}[tool.holdfast.profiles.test]\ndb = "sqlite:////tmp/test.db"\n'


def test_without_anything_there_is_a_default(tmp_path: Path) -> None:
    found = configured(tmp_path, "[project]\n")
    assert (found.db, found.app, found.db_is_default) == ("sqlite:///holdfast.db", None, True)


def test_the_file_is_found_from_below_and_its_paths_lie_beside_it(tmp_path: Path) -> None:
    found = configured(tmp_path, TABLE)
    assert found.db == f"sqlite:///{tmp_path / 'shop.db'}"
    assert found.app == f"{tmp_path / 'shop.py'}:all"


def test_a_module_is_no_path(tmp_path: Path) -> None:
    assert configured(tmp_path, '[tool.holdfast]\napp = "shop.app"\n').app == "shop.app"


def test_variables_win_over_the_file_and_options_over_both(tmp_path: Path) -> None:
    variable = configured(tmp_path, TABLE, HOLDFAST_DB="sqlite:///v.db", HOLDFAST_APP="v.py")
    option = configured(tmp_path, db="sqlite:///o.db", HOLDFAST_DB="sqlite:///v.db")
    assert (variable.db, variable.app, variable.db_is_default) == ("sqlite:///v.db", "v.py", True)
    assert (option.db, option.db_is_default) == ("sqlite:///o.db", False)


@pytest.mark.parametrize("how", [{"profile": "test"}, {"HOLDFAST_PROFILE": "test"}])
def test_a_profile_wins_over_the_table(tmp_path: Path, how: dict[str, str]) -> None:
    found = configured(tmp_path, PROFILES, profile=how.get("profile"), **{k: v for k, v in how.items() if k.isupper()})
    assert found.db == "sqlite:////tmp/test.db"
    assert found.app == f"{tmp_path / 'shop.py'}:all"


@pytest.mark.parametrize(
    ("toml", "profile", "told"),
    [
        (PROFILES, "live", "there are test"),
        (TABLE, "live", "add \\[tool.holdfast.profiles.live\\]"),
        ('[tool.holdfast]\ndbb = "x"\n', None, "did you mean 'db'"),
        ('[tool.holdfast]\nworkers = "x"\n', None, "remove it"),
        ("[tool.holdfast]\ndb = 3\n", None, "is a text"),
        ('[tool.holdfast]\nprofiles = "x"\n', "test", "profiles are tables"),
        ('[tool.holdfast.profiles]\ntest = "x"\n', "test", "profiles are tables"),
        ("[tool.holdfast\n", None, "is not TOML"),
    ],
)
def test_what_is_wrong_in_the_file_is_told(tmp_path: Path, toml: str, profile: str | None, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        configured(tmp_path, toml, profile=profile)


def test_a_profile_without_a_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="there is no profile 'live'"):
        configured(tmp_path, profile="live")


def test_a_table_that_is_none_is_ignored(tmp_path: Path) -> None:
    assert configured(tmp_path, '[tool]\nholdfast = "x"\n').app is None


def test_a_token_comes_from_a_variable_or_a_file_and_is_never_shown(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("from-file\n", encoding="ascii")
    of_file = configured(tmp_path, '[tool.holdfast]\ntoken_file = "secret"\n').token
    of_name = configured(tmp_path, '[tool.holdfast]\ntoken_env = "CI_KEY"\n', CI_KEY="named").token
    of_variable = configured(tmp_path, HOLDFAST_TOKEN="direct", CI_KEY="named").token
    assert [token and token.text for token in (of_file, of_name, of_variable)] == ["from-file", "named", "direct"]
    assert str(of_file) == "Token(…)"


@pytest.mark.parametrize(
    ("setting", "content", "told"),
    [
        ('token_env = "CI_KEY"', None, "CI_KEY, which is not set"),
        ('token_file = "secret"', None, "cannot be read"),
        ('token_file = "secret"', " \n", "is empty"),
        ('token_file = "secret"', "ü", "cannot be read"),
        ('token = "oops"', None, "not kept in a shared file"),
    ],
)
def test_a_token_that_cannot_be_had_is_an_error(tmp_path: Path, setting: str, content: str | None, told: str) -> None:
    if content is not None:
        (tmp_path / "secret").write_text(content, encoding="utf-8")
    with pytest.raises(InvalidArgument, match=told):
        configured(tmp_path, f"[tool.holdfast]\n{setting}\n")


def test_a_server_of_the_file_is_asked_unless_a_database_is_named(tmp_path: Path) -> None:
    table = '[tool.holdfast]\nurl = "grpc://server:1"\ntls_ca = "ca.pem"\n'
    assert configured(tmp_path, table).target == "grpc://server:1"
    assert configured(tmp_path, table).tls_ca == str(tmp_path / "ca.pem")
    assert configured(tmp_path, table, HOLDFAST_DB="sqlite:///v.db").target == "sqlite:///v.db"
    assert configured(tmp_path, table, db="sqlite:///o.db").target == "sqlite:///o.db"
    assert configured(tmp_path, table, HOLDFAST_URL="grpc://other:2").target == "grpc://other:2"


def test_certificates_lie_beside_the_file_or_where_a_variable_says(tmp_path: Path) -> None:
    found = configured(tmp_path, '[tool.holdfast]\ntls_cert = "me.pem"\ntls_key = "~/me.key"\n')
    assert (found.tls_ca, found.tls_cert, found.tls_key) == (None, f"{tmp_path}/me.pem", str(Path.home() / "me.key"))
    assert configured(tmp_path, HOLDFAST_TLS_CERT="/c.pem", HOLDFAST_TLS_KEY="/k.pem").tls_cert == "/c.pem"
