"""An HTTP response, as a value."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Response:
    status: str = "200 OK"
    kind: str = "text/html; charset=utf-8"
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


def redirect(location: str) -> Response:
    """Redirect the browser with a GET."""
    return Response(status="303 See Other", headers=(("Location", location),))
