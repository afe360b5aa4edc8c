"""How the files of the UI are served: what headers they have, and that nothing else is."""

import gzip
from pathlib import Path

import pytest

from holdfast.server.ui.pages import NOT_BUILT, Page, Pages

SCRIPT = "/assets/index-abc123.js"
GZIP = [(b"accept-encoding", b"gzip, br")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "static"
    (root / "assets").mkdir(parents=True)
    (root / "index.html").write_text("<!doctype html><title>Holdfast</title>")
    (root / SCRIPT[1:]).write_text("console.log('hello')\n" * 100)
    (root / "logo.svg").write_text("<svg/>")
    (root / "font.woff2").write_bytes(b"font")
    (root / ".sources").write_text("secret")
    (tmp_path / "secret.txt").write_text("secret")
    return root


def _page(root: Path, path: str, *headers: tuple[bytes, bytes]) -> Page:
    page = Pages(root).at(path, list(headers))
    assert page is not None
    return page


def _header(page: Page, name: str) -> str:
    return next((value.decode() for key, value in page.headers if key == name.encode()), "")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/.sources",
        "/assets",
        "/assets/",
        "/assets/nothing.js",
        "//etc/passwd",
        "/etc/passwd",
        "/assets/..\\..\\secret.txt",
        "/index.html\0.js",
        "/api/tenants/default/nothing",
        "",
        "*",
    ],
)
def test_what_is_no_file_of_the_ui_does_not_exist(root: Path, path: str) -> None:
    assert Pages(root).at(path, []) is None


@pytest.mark.parametrize("path", ["/", "/workflows", "/workflows/order-17", "/workflows/a%2Fb", "/tasks", "/login"])
def test_every_view_is_the_same_page(root: Path, path: str) -> None:
    page = _page(root, path)

    assert page.status == 200
    assert b"<title>Holdfast" in page.body
    assert _header(page, "content-type") == "text/html; charset=utf-8"


@pytest.mark.parametrize("path", ["/", SCRIPT, "/logo.svg"])
def test_no_page_may_be_framed_sniffed_or_given_foreign_scripts(root: Path, path: str) -> None:
    page = _page(root, path)

    policy = _header(page, "content-security-policy")
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert _header(page, "x-content-type-options") == "nosniff"


def test_files_named_by_their_contents_are_kept_for_ever_and_the_page_never(root: Path) -> None:
    assert "immutable" in _header(_page(root, SCRIPT), "cache-control")
    assert _header(_page(root, "/"), "cache-control") == "no-cache"


def test_scripts_are_compressed_for_those_who_take_it(root: Path) -> None:
    plain, small = _page(root, SCRIPT), _page(root, SCRIPT, *GZIP)

    assert gzip.decompress(small.body) == plain.body
    assert _header(small, "content-encoding") == "gzip"
    assert _header(plain, "content-encoding") == ""
    assert _header(small, "vary") == "accept-encoding"


def test_an_unchanged_file_is_not_sent_again(root: Path) -> None:
    tag = _header(_page(root, "/"), "etag").encode()

    again = _page(root, "/", (b"if-none-match", tag))

    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        (SCRIPT, "text/javascript; charset=utf-8"),
        ("/logo.svg", "image/svg+xml; charset=utf-8"),
        ("/font.woff2", "font/woff2"),
    ],
)
def test_media_types_do_not_depend_on_the_machine(root: Path, path: str, media_type: str) -> None:
    assert _header(_page(root, path), "content-type") == media_type


def test_a_checkout_without_a_build_says_what_to_do(tmp_path: Path) -> None:
    page = _page(tmp_path, "/workflows")

    assert page.status == 503
    assert page.body == NOT_BUILT
    assert b"make ui" in page.body
