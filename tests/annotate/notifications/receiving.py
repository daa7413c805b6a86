"""A receiver of webhooks that behaves well or badly, on a port of this machine."""

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PEM = Path(__file__).with_name("localhost.pem")  # for tests alone: anybody can read its key


class Receiver:
    """What it got, and how it answers: with the statuses, the last one again and again."""

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, str], bytes]] = []  # path, headers, body
        self.statuses = [200]
        self.url = ""
        self.drips = False  # the headers of its answer never end
        self.let_go = threading.Event()

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _path, _headers, body in self.got]

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.got.append((handler.path, headers, body))
        if self.drips:
            with contextlib.suppress(OSError):
                self._drip(handler.connection)
            return
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        handler.send_response(status)
        if 300 <= status < 400:
            handler.send_header("Location", f"{self.url}elsewhere")
        handler.end_headers()
        with contextlib.suppress(OSError):
            handler.wfile.write(b"x" * 1000)

    def _drip(self, connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        for _ in range(300):  # far longer than any call may last
            if self.let_go.wait(0.02):
                return
            connection.sendall(b"x")


@contextlib.contextmanager
def receiver(*, secure: bool = False) -> Iterator[Receiver]:
    """Run a receiver on 127.0.0.1; `secure`: by TLS, as `localhost`."""
    side = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            side.answer(self)

        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if secure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(PEM)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    side.url = f"{'https://localhost' if secure else 'http://127.0.0.1'}:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield side
    finally:
        side.let_go.set()
        server.shutdown()
        server.server_close()
        thread.join()
