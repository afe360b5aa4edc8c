"""`holdfast server` as an operator runs it."""

import json
import signal
import ssl
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.access.running import LIMIT, Command
from tests.services.certificates import Authority

pytestmark = pytest.mark.processes

ANY_PORTS = ("--grpc-port", "0", "--rest-port", "0")


def get(url: str) -> tuple[int, dict[str, object]]:
    try:
        with urllib.request.urlopen(url, timeout=LIMIT) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_serves_until_it_is_told_to_stop(tmp_path: Path, number: int) -> None:
    with Command(tmp_path, "server", "--store", "sqlite:///app.db", *ANY_PORTS) as server:
        serving = server.until("serving")
        assert get(f"{serving['rest']}/health/ready") == (200, {"status": "ready"})
        assert serving["grpc"].startswith("grpc://127.0.0.1:")
        assert server.stop(number) == 0
        server.until("draining")
        server.until("stopped")
    assert (tmp_path / "app.db").exists()


def test_a_server_that_is_about_to_stop_says_so_and_still_answers(tmp_path: Path) -> None:
    with Command(tmp_path, "server", *ANY_PORTS, "--notice", "1s") as server:
        rest = server.until("serving")["rest"]
        server.process.send_signal(signal.SIGTERM)
        server.until("draining")
        status, problem = get(f"{rest}/health/ready")
        assert (status, problem["code"]) == (503, "NOT_READY")
        assert get(f"{rest}/api/tenants/default/queues")[0] == 200
        assert server.ended() == 0


def test_rest_is_served_with_the_same_certificate_unless_it_is_plain(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "authority")
    certificate, key = authority.issue("server")
    tls = ("--tls-cert", str(certificate), "--tls-key", str(key))
    trusting = ssl.create_default_context(cafile=authority.ca)
    with Command(tmp_path, "server", *ANY_PORTS, *tls) as server:
        at = server.until("serving")
        assert at["grpc"].startswith("grpcs://")
        with urllib.request.urlopen(f"{at['rest']}/health/ready", timeout=LIMIT, context=trusting) as answer:
            assert (answer.status, at["rest"].partition(":")[0]) == (200, "https")
        assert server.stop() == 0
    with Command(tmp_path, "server", *ANY_PORTS, *tls, "--plain-rest") as server:
        at = server.until("serving")
        assert at["grpc"].startswith("grpcs://")
        assert get(f"{at['rest']}/health/ready")[0] == 200


def test_a_port_that_is_taken_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with Command(tmp_path, "server", *ANY_PORTS) as first:
        port = first.until("serving")["rest"].rpartition(":")[2]
        with Command(tmp_path, "server", "--rest-port", port, "--grpc-port", "0") as second:
            assert second.ended() == 5
            assert "try another" in "".join(second.errors)
