"""Runs the stand-in, in a thread of this process or in the foreground."""

import threading
from decimal import Decimal
from types import TracebackType
from typing import Self

from waitress import create_server, wasyncore
from waitress.server import BaseWSGIServer

from extras.mturk_simulator.app import application
from extras.mturk_simulator.state.clock import Now
from extras.mturk_simulator.state.world import BALANCE, World

THREADS = 8


class RunningServer:
    """A server in a thread. `url` is its address, `state` its whole state."""

    def __init__(self, server: BaseWSGIServer, world: World) -> None:
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
        self._server.pull_trigger()  # wakes up the thread
        self._thread.join()
        # Only now, because the trigger is one of them and must exist while it is pulled.
        self._server.task_dispatcher.shutdown()
        wasyncore.close_all(self._server._map)

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
        while not self._over.is_set():
            wasyncore.loop(timeout=1, map=self._server._map, count=1)


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
    server = create_server(
        application(world),
        host=host,
        port=port,
        threads=THREADS,
        ident="mturk-simulator",
        log_socket_errors=False,  # a broken connection is a deliberate fault
    )
    world.url = url or f"http://localhost:{server.effective_port}"
    return RunningServer(server, world)
