"""The WSGI application: the API at `POST /`, people's pages at the other addresses."""

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

from annotate.crowds.simulator import wire, workers
from annotate.crowds.simulator.responses import Response
from annotate.crowds.simulator.world import World

Environ = dict[str, Any]
StartResponse = Callable[..., Any]


def application(world: World) -> Callable[[Environ, StartResponse], Iterable[bytes]]:
    """Return the application over one world."""

    def app(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        response = respond(world, environ)
        headers = [("Content-Type", response.kind), ("Content-Length", str(len(response.body)))]
        start_response(response.status, [*headers, *response.headers])
        return [response.body]

    return app


def respond(world: World, environ: Environ) -> Response:
    method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
    body = environ["wsgi.input"].read()
    if method == "POST" and path == "/":
        return wire.answer(world, environ, body)
    if method == "POST" and path == "/mturk/externalSubmit":
        return _submit(world, body)
    return Response(status="404 Not Found", body=b"not yet")


def _submit(world: World, body: bytes) -> Response:
    fields = parse_qs(body.decode(), keep_blank_values=True)
    try:
        workers.submit(world, *_split(fields))
    except workers.CannotDo as cannot:
        return Response(status=cannot.status, body=cannot.message.encode())
    return Response(body=b"handed in")


def _split(fields: dict[str, list[str]]) -> tuple[str, dict[str, list[str]]]:
    assignment = fields.pop("assignmentId", [""])[0]
    return assignment, fields
