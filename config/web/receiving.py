"""A web process that receives each request whole before a worker thread takes it.

gunicorn's threads read requests themselves, so a dozen half-sent bodies stop a process. Here
threads of their own receive headers and bodies, within a time; the worker threads, each with its
database connection, only work. `/healthz` needs none of them, and answers while all of them wait.
"""

import socket
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from tempfile import SpooledTemporaryFile
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import ThreadWorker

HEALTHZ = "/healthz"
Application = Callable[..., Iterable[bytes]]
RECEIVING = 200  # requests that a process receives at once
READ_SECONDS = 20.0  # for headers and body,
SLOWEST = 20_000  # and a second more for each so many bytes that have come
SEND_SECONDS = 120.0  # for each piece of an answer
IN_MEMORY = 1024 * 1024  # bytes of a body; the rest is in a file without a name


class TimedSocket:
    """A socket whose request has to come in time; what comes later reads as the end."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._until = 0.0

    def begin(self) -> None:
        """Start the time of a request."""
        self._until = time.monotonic() + READ_SECONDS

    @property
    def is_late(self) -> bool:
        return time.monotonic() >= self._until

    def recv(self, size: int) -> bytes:
        if self.is_late:
            return b""
        self._sock.settimeout(max(0.001, self._until - time.monotonic()))
        try:
            data = self._sock.recv(size)
        except TimeoutError:
            return b""
        finally:
            self._sock.settimeout(SEND_SECONDS)
        self._until += len(data) / SLOWEST
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


class ReceivingWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Threads as gunicorn's, behind others that receive."""

    def init_process(self) -> None:
        self.working = ThreadPoolExecutor(max_workers=self.cfg.threads)
        super().init_process()

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """Return the threads that receive."""
        return ThreadPoolExecutor(max_workers=RECEIVING)

    def enqueue_req(self, conn: Any) -> None:
        if not self.cfg.is_ssl and not isinstance(conn.sock, TimedSocket):
            conn.sock = TimedSocket(conn.sock)
        super().enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Receive a request and answer it, in a thread that receives."""
        if isinstance(conn.sock, TimedSocket):
            conn.sock.begin()
        return super().handle(conn)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Receive the body, and let a worker thread answer."""
        answer = super().handle_request
        if req.path == HEALTHZ:
            return answer(req, conn)
        longest = getattr(self.wsgi, "longest_body", 0)  # a longer one is refused by its header
        if 0 < (length := _length(req)) <= longest and not _receive(req, conn, length):
            util.write_error(conn.sock, 408, "Request Timeout", "This request came too slowly.")
            return False
        return self.working.submit(answer, req, conn).result()


def _length(req: Any) -> int:
    """Return how long the body is said to be; 0 where it is not said."""
    said = next((value for name, value in req.headers if name == "CONTENT-LENGTH"), "")
    return int(said) if said.isdecimal() else 0


def _receive(req: Any, conn: Any, length: int) -> bool:
    """Receive the whole body; return False if it did not come in time."""
    if req._expected_100_continue:
        conn.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        req._expected_100_continue = False
    whole = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  lives as long as the request
    while piece := req.body.read(min(IN_MEMORY, length - whole.tell()) or 1):
        whole.write(piece)
    came = whole.tell() == length
    whole.seek(0)
    req.body = whole
    return came or not getattr(conn.sock, "is_late", False)


class Alive:
    """Answers `/healthz` itself: no database, no lock, no middleware.

    longest_body: bytes of a body that the application takes at all.
    """

    def __init__(self, application: Application, *, longest_body: int) -> None:
        self._application = application
        self.longest_body = longest_body

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ.get("PATH_INFO") != HEALTHZ:
            return self._application(environ, start_response)
        body = b'{"status": "ok"}'
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        start_response("200 OK", [*headers, ("Cache-Control", "no-store")])
        return [] if environ.get("REQUEST_METHOD") == "HEAD" else [body]
