"""A connection to one server: its address, its token, and how it ends."""

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from plumbline_client.errors import PlumblineError
from plumbline_client.transport import Transport

TIMEOUT = 60.0  # seconds


class Connection:
    """A connection with a token. What can be asked over it is in `Plumbline`."""

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        timeout: float = TIMEOUT,
        insecure: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        url = url or os.environ.get("PLUMBLINE_URL", "")
        token = token if token is not None else os.environ.get("PLUMBLINE_TOKEN", "")
        if not url:
            raise PlumblineError("Give the server’s address, or set PLUMBLINE_URL.")
        self._sleep = sleep
        self._at = Transport(url, token, timeout=timeout, insecure=insecure, sleep=sleep)

    @classmethod
    def log_in(
        cls, url: str, username: str, password: str, *, code: str | None = None, **more: Any
    ) -> Self:
        """Return a connection with a new token, good for a year; the account’s page lists it.

        code: of the account's second factor, if it has one; or one of its recovery codes.
        """
        given = {"username": username, "password": password}
        with cls(url, token="", **more) as asking:
            told = asking._at.send_once(
                "token/", json=given if code is None else {**given, "code": code}
            )
        return cls(url, token=str(told["token"]), **more)

    def close(self) -> None:
        self._at.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Plumbline {self._at.origin}>"
