"""The WSGI application, the API at `POST /` and people's pages elsewhere, and its server."""

import threading
from collections.abc import Callable, Iterable
from decimal import Decimal
from http import HTTPStatus
from pathlib import Path
from socketserver import ThreadingMixIn
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from extras.mturk_simulator import api, pages, workers
from extras.mturk_simulator.hits import LOCAL_HOSTS
from extras.mturk_simulator.markup import Response
from extras.mturk_simulator.world import BALANCE, Now, World

Environ = dict[str, Any]
Fields = dict[str, list[str]]
StartResponse = Callable[..., Any]
ASSETS = {
    path.name: path for path in (Path(__file__).parent / "assets").iterdir() if path.is_file()
}
KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}


def application(world: World) -> Callable[[Environ, StartResponse], Iterable[bytes]]:
    """Return the application over one world."""

    def app(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        response = respond(world, environ)
        headers = {"Content-Type": response.kind, "Content-Length": str(len(response.body))}
        status = f"{response.status} {HTTPStatus(response.status).phrase}"
        start_response(status, [*(headers | response.headers).items()])
        return [response.body]

    return app


def respond(world: World, environ: Environ) -> Response:
    """Answer one request."""
    path = environ["PATH_INFO"]
    try:
        if environ["REQUEST_METHOD"] == "POST":
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            return _posted(world, environ, path, body)
        if elsewhere := _better_address(world, environ):
            return _redirect(elsewhere)
        return _shown(world, path, parse_qs(environ["QUERY_STRING"]))
    except workers.CannotDo as cannot:
        return pages.said("That did not work", cannot.message, "", cannot.status)


def _redirect(location: str) -> Response:
    """Redirect the browser with a GET."""
    return Response(status=303, headers={"Location": location})


def _posted(world: World, environ: Environ, path: str, body: bytes) -> Response:
    if path == "/":
        return api.answer(world, environ, body)
    fields = parse_qs(body.decode(errors="replace"), keep_blank_values=True)
    if path == "/mturk/externalSubmit":
        return _handed_in(world, fields)
    if path == "/accept":
        return _accepted(world, fields)
    if path == "/return":
        one = workers.give_back(world, _first(fields, "assignment"))
        return _redirect(pages.address(f"/work/{one.id}", worker=one.worker))
    raise workers.CannotDo("There is nothing at this address.", 404)


def _shown(world: World, path: str, query: Fields) -> Response:
    if path.startswith("/assets/"):
        return _asset(path.removeprefix("/assets/"))
    named, group = _first(query, "worker").strip(), _first(query, "groupId")
    worker = workers.worker_id(named) if named else ""
    with world.lock:
        world.settle()
        if path == "/":
            return pages.home(world, worker)
        if path == "/mturk/preview":
            return pages.preview(world, group, worker, same_origin=_same_origin(query))
        if path.startswith("/work/"):
            one = path.removeprefix("/work/")
            return pages.work(world, one, worker, same_origin=_same_origin(query))
        if path == "/earnings":
            return pages.earnings(world, worker) if worker else pages.who(path)
        if path == "/who":
            return pages.who("/mturk/preview", group=group)
        if path == "/requester":
            return pages.requester(world, worker)
    raise workers.CannotDo("There is nothing at this address.", 404)


def _handed_in(world: World, fields: Fields) -> Response:
    answers = {name: values for name, values in fields.items() if name != "assignmentId"}
    try:
        workers.submit(world, _first(fields, "assignmentId"), answers)
    except workers.CannotDo as cannot:
        return pages.not_handed_in(cannot.message, cannot.status)
    return pages.handed_in()


def _accepted(world: World, fields: Fields) -> Response:
    worker, hit = _first(fields, "worker"), _first(fields, "hit")
    if group := _first(fields, "group"):
        with world.lock:
            found = workers.next_hit(world, group, worker)
        if found is None:
            raise workers.CannotDo("Nothing in this group is open to you any more.")
        hit = found.id
    one = workers.accept(world, hit, worker)
    kept = "" if _same_origin(fields) else "no"
    return _redirect(pages.address(f"/work/{one.id}", worker=worker, same_origin=kept))


def _asset(name: str) -> Response:
    if path := ASSETS.get(name):
        # A page in a strict frame has no origin, so our own scripts are foreign to it.
        headers = {"Access-Control-Allow-Origin": "*"}
        return Response(kind=KINDS[path.suffix], body=path.read_bytes(), headers=headers)
    raise workers.CannotDo("There is nothing at this address.", 404)


def _better_address(world: World, environ: Environ) -> str:
    """Return the same page at our own name, if this computer was called by another one.

    Pages that we frame compare addresses, and localhost and 127.0.0.1 differ.
    """
    asked, ours = urlsplit(f"//{environ.get('HTTP_HOST', '')}"), urlsplit(world.url)
    same = asked.hostname == ours.hostname or {asked.hostname, ours.hostname} - {*LOCAL_HOSTS}
    if same or asked.port != ours.port:
        return ""
    query = environ["QUERY_STRING"]
    return f"{world.url}{environ['PATH_INFO']}" + (f"?{query}" if query else "")


def _same_origin(fields: Fields) -> bool:
    return _first(fields, "same_origin") != "no"


def _first(fields: Fields, name: str) -> str:
    return fields.get(name, [""])[0]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class Quiet(WSGIRequestHandler):
    def log_message(self, *_words: Any) -> None:
        """Log no request."""

    def address_string(self) -> str:
        return str(self.client_address[0])


class RunningServer:
    """A server in a thread. `url` is its address, `state` its whole state."""

    def __init__(self, server: WSGIServer, world: World) -> None:
        self.state = world
        self.url = world.url
        self._server = server
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mturk-simulator", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self.state.faults.clear()  # releases requests that wait in a fault
        if self._over.is_set():
            return
        self._over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def wait(self) -> None:
        """Return when the server has stopped."""
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _run(self) -> None:
        self._server.serve_forever(poll_interval=0.05)


def serve(
    port: int = 0,
    *,
    host: str = "127.0.0.1",
    url: str = "",
    clock: Now | None = None,
    balance: Decimal = BALANCE,
    seed: int | None = None,
    reuse_ids: bool = False,
) -> RunningServer:
    """Start a stand-in in a thread; port 0: any free one. `url`: its address for browsers."""
    world = World(clock=clock, balance=balance, seed=seed, reuse_ids=reuse_ids)
    server = make_server(host, port, application(world), server_class=Server, handler_class=Quiet)
    world.url = url or f"http://localhost:{server.server_port}"
    return RunningServer(server, world)
