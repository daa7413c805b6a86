"""Whether a web process lives: `/healthz`."""

from collections.abc import Callable, Iterable
from typing import Any

HEALTHZ = "/healthz"
Application = Callable[..., Iterable[bytes]]


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
