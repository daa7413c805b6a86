"""Runs the stand-in, in a thread of this process or in the foreground."""

import threading
from decimal import Decimal
from socketserver import ThreadingMixIn
from types import TracebackType
from typing import Any, Self
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from extras.mturk_simulator.app import application
from extras.mturk_simulator.state.clock import Now
from extras.mturk_simulator.state.world import BALANCE, World


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
