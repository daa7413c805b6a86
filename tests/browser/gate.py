"""The door of the live server: nobody is inside while a test's data are removed."""

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Gate:
    """A WSGI application around another that can wait until nobody is inside.

    A page that is closed leaves requests behind, and they would hold locks, or write rows, while
    the tables are emptied for the next test.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._open = True

    def around(self, application: Application) -> Application:
        def called(environ: dict[str, Any], start: Callable[..., Any]) -> Iterator[bytes]:
            if not self._enter():
                start("503 Service Unavailable", [("Content-Length", "0")])
                return
            try:
                response = application(environ, start)
                try:
                    yield from response
                finally:
                    getattr(response, "close", lambda: None)()
            finally:
                self._leave()

        return called

    def open(self) -> None:
        with self._changed:
            self._open = True

    def shut(self, seconds: float = 30) -> None:
        """Let nobody else in, and wait until those inside have left."""
        with self._changed:
            self._open = False
            left = self._changed.wait_for(lambda: not self._inside, timeout=seconds)
        assert left, f"{self._inside} requests were still answered {seconds} s after the test"

    def _enter(self) -> bool:
        with self._changed:
            self._inside += self._open
            return self._open

    def _leave(self) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()
