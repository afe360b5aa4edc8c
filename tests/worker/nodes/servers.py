"""Real servers on the loopback: one for HTTP that behaves as its paths say, one for SMTP that keeps what it gets."""

import contextlib
import json
import socketserver
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.services.installing import program


class Handler(BaseHTTPRequestHandler):
    """Answers by path; every request is kept."""

    protocol_version = "HTTP/1.1"
    server: "HttpServer"

    def answer(self, status: int, body: bytes, kind: str = "text/plain", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        self.server.requests.append((self.command, self.path, dict(self.headers.items()), body))
        path = self.path.partition("?")[0]
        if path.startswith("/status/"):
            self.answer(int(path.rpartition("/")[2]), b"as you like")
        elif path.startswith("/to/"):
            status, _, target = path.removeprefix("/to/").partition("/")
            self.answer(int(status), b"", Location=self.server.targets.get(target, target))
        else:
            getattr(self, f"serve_{path.strip('/') or 'echo'}")(body)

    def serve_echo(self, body: bytes) -> None:
        seen = {
            "method": self.command, "path": self.path, "headers": dict(self.headers.items()), "body": body.decode(),
        }  # fmt: skip
        self.answer(200, json.dumps(seen).encode(), "application/json", **{"X-Seen": self.headers.get("X-Key", "")})

    def serve_refused(self, body: bytes) -> None:
        self.answer(400, f"{dict(self.headers.items())} {body.decode()}".encode())

    def serve_mirrored(self, _: bytes) -> None:
        seen = " ".join(self.headers.values()).encode()
        self.answer(200, b"\xff" + seen, "application/octet-stream")

    def serve_large(self, _: bytes) -> None:
        self.answer(200, b"x" * 200_000)

    def serve_endless(self, _: bytes) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.server.stopped.is_set():
                self.wfile.write(b"1000\r\n" + b"y" * 4096 + b"\r\n")

    def serve_drip(self, _: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.server.stopped.wait(0.02):
                self.wfile.write(b"z")

    def serve_silent(self, _: bytes) -> None:
        self.server.stopped.wait(20)

    def serve_cut(self, _: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"only this")
        self.close_connection = True

    def serve_binary(self, _: bytes) -> None:
        self.answer(200, b"\xff\xfe\x00", "application/octet-stream")

    def serve_badjson(self, _: bytes) -> None:
        self.answer(200, b"{nope", "application/json")

    def serve_garbage(self, _: bytes) -> None:
        self.wfile.write(b"\x00\x01 this is no HTTP\r\n\r\n")
        self.close_connection = True

    def serve_headers(self, _: bytes) -> None:
        self.answer(200, b"", **{f"X-{n}": "v" * 1_000 for n in range(90)})

    def log_message(self, *_: object) -> None:
        """Say nothing."""


for verb in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"):
    setattr(Handler, f"do_{verb}", Handler.serve)


class HttpServer(ThreadingHTTPServer):
    """Keeps requests; `targets` are where its redirects lead."""

    daemon_threads = True

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.targets: dict[str, str] = {}
        self.stopped = threading.Event()
        self.secure = tls is not None
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http{'s' if self.secure else ''}://{host}:{self.port}{path}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is what these tests are about."""


@contextlib.contextmanager
def http_server(tls: ssl.SSLContext | None = None) -> Iterator[HttpServer]:
    server = HttpServer(tls)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()


def certificate(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """What a server with a certificate for this name uses, and what trusts it."""
    key, made = folder / "key.pem", folder / "cert.pem"
    openssl = str(program("openssl", package="openssl"))
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
    subprocess.run(
        [*command, "-keyout", str(key), "-out", str(made), "-addext", f"subjectAltName=DNS:{name}"],
        check=True, capture_output=True,
    )  # fmt: skip
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(made, key)
    return server, ssl.create_default_context(cafile=str(made))


class SmtpHandler(socketserver.StreamRequestHandler):
    """Enough of SMTP to take a mail."""

    server: "SmtpServer"

    def say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())

    def handle(self) -> None:
        if self.server.silent:
            time.sleep(5)
        self.say("220 here")
        while line := self.rfile.readline(2_000).decode().strip():
            verb = line.split()[0].upper()
            self.server.lines.append(line)
            if verb == "EHLO":
                self.say("250-here")
                self.say("250 STARTTLS" if self.server.tls else "250 AUTH PLAIN LOGIN")
            elif verb == "STARTTLS" and self.server.tls is not None:
                self.say("220 go on")
                self.request = self.server.tls.wrap_socket(self.request, server_side=True)
                self.rfile = self.request.makefile("rb")
                self.wfile = self.request.makefile("wb", buffering=0)
            elif verb == "DATA":
                self.say("354 go on")
                self.take()
            elif verb == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say(self.server.answers.get(verb, "250 fine"))

    def finish(self) -> None:
        super().finish()
        self.request.close()

    def take(self) -> None:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line)
        self.server.mails.append(b"".join(lines).decode())
        self.say(self.server.answers.get("DATA", "250 taken"))


class SmtpServer(socketserver.ThreadingTCPServer):
    """Keeps mails; `answers` are what it says to verbs."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), SmtpHandler)
        self.tls = tls
        self.silent = False
        self.mails: list[str] = []
        self.lines: list[str] = []
        self.answers: dict[str, str] = {"AUTH": "235 welcome"}

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is what these tests are about."""


@contextlib.contextmanager
def smtp_server(tls: ssl.SSLContext | None = None) -> Iterator[SmtpServer]:
    server = SmtpServer(tls)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
