"""Requests to one server: the token, repeats that do no harm, pages, and errors."""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from plumbline_client.errors import PlumblineError, UnexpectedAnswer, Unreachable, error_of

API = "/api/v1/"
LOCAL = {"localhost", "127.0.0.1", "::1"}
PAUSES = (0.25, 1.0, 3.0)  # seconds between them
WORTH_ANOTHER = {502, 503, 504}


class Transport:
    """A connection to one server. A request is repeated where a second one has no effect."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float,
        insecure: bool,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise PlumblineError("The address looks like https://plumbline.example.org.")
        if parts.username or parts.password:
            raise PlumblineError("The address holds no user name and no password.")
        if parts.scheme == "http" and parts.hostname not in LOCAL and not insecure:
            raise PlumblineError(
                "Over plain http, everybody on the way can read the token. Use https, or say "
                "insecure=True."
            )
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self._base = self.origin + parts.path.rstrip("/") + API
        self._sleep = sleep
        headers = {"Accept": "application/json"} | (
            {"Authorization": f"Token {token}"} if token else {}
        )
        self._http = httpx.Client(headers=headers, timeout=timeout, follow_redirects=False)

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, **query: Any) -> Any:
        """Return the data at a path of the API, or at an address that the server gave."""
        asked = {name: value for name, value in query.items() if value is not None}
        return self._again_and_again(lambda: self._data("GET", path, params=asked or None))

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send with a key, by which the server knows a repeat: it is done once."""
        return self._once("POST", path, body)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._once("PATCH", path, body)

    def send_once(self, path: str, **more: Any) -> Any:
        """Send a file or a password once. A broken connection does not say whether it arrived."""
        return self._data("POST", path, **more)

    def _once(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        return self._again_and_again(lambda: self._data(method, path, json=body, headers=headers))

    def pages(self, path: str, *, rows: str = "results", **query: Any) -> Iterator[dict[str, Any]]:
        """Yield all rows of a list, page after page. rows: where a page holds them."""
        return self.rest(self.get(path, **query), rows)

    def rest(self, page: Any, rows: str = "results") -> Iterator[dict[str, Any]]:
        """Yield the rows of a page, and of all after it."""
        while True:
            yield from _rows(page, rows)
            if not page.get("next"):
                return
            page = self.get(str(page["next"]))

    def save(self, path: str, to: Path) -> None:
        """Write a file of any size. Nothing stands at `to` unless all of it came."""
        part = to.with_name(f"{to.name}.part")
        try:
            with self._streamed(path) as answer, part.open("wb") as file:
                for block in answer.iter_bytes():
                    file.write(block)
            part.replace(to)
        except httpx.HTTPError as error:
            raise Unreachable(f"The file did not come through: {_why(error)}") from None
        finally:
            part.unlink(missing_ok=True)

    @contextmanager
    def _streamed(self, path: str) -> Iterator[httpx.Response]:
        with self._http.stream("GET", self._address(path)) as answer:
            if answer.status_code != 200:
                answer.read()
                _checked(answer)
            yield answer

    def _address(self, path: str) -> str:
        """Return the whole address. It is on this server, whatever the path says."""
        if not path.startswith(("http://", "https://")):
            return self._base + path
        parts = urlsplit(path)
        if API not in parts.path:
            raise UnexpectedAnswer("The next page is said to be at an address outside the API.")
        rest = parts.path.split(API, 1)[1]
        return f"{self._base}{rest}?{parts.query}" if parts.query else self._base + rest

    def _data(self, method: str, path: str, **more: Any) -> Any:
        try:
            answer = self._http.request(method, self._address(path), **more)
        except httpx.HTTPError as error:
            raise Unreachable(f"{self.origin} does not answer: {_why(error)}") from None
        return _checked(answer)

    def _again_and_again(self, ask: Callable[[], Any]) -> Any:
        for pause in PAUSES:
            try:
                return ask()
            except Unreachable:
                pass
            except PlumblineError as error:
                if getattr(error, "status", 0) not in WORTH_ANOTHER:
                    raise
            self._sleep(pause)
        return ask()


def _checked(answer: httpx.Response) -> Any:
    """Return the data of an answer; raise what it tells if it is an error."""
    if 300 <= answer.status_code < 400:
        raise UnexpectedAnswer(
            "The server sends on to another address. Give the final one: the token is not sent on."
        )
    if answer.status_code == 204:
        return None
    try:
        data = json.loads(answer.content)
    except (ValueError, RecursionError):
        data = None
    if answer.status_code >= 400:
        raise error_of(answer.status_code, data, answer.headers.get("Retry-After"))
    if data is None:
        raise UnexpectedAnswer("The answer is not JSON: this may not be Plumbline’s address.")
    return data


def _rows(page: Any, name: str) -> list[dict[str, Any]]:
    if not isinstance(page, dict) or not isinstance(page.get(name), list):
        raise UnexpectedAnswer("The answer is not a list of Plumbline’s.")
    rows: list[dict[str, Any]] = page[name]
    return rows


def _why(error: httpx.HTTPError) -> str:
    """Return the kind of an error of the connection. Its text may hold what was sent."""
    return type(error).__name__
