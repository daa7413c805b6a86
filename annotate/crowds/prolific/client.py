"""Calls to Prolific's API: one request at a time, without repeats, each answer evaluated.

Whether an effect may have happened follows from where its request was interrupted. Without a
connection, nothing happened; without an answer, the outcome is unknown.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

import urllib3
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from annotate.crowds import contract
from annotate.crowds.contract import (
    Configuration,
    CrowdError,
    Effect,
    InsufficientFunds,
    InvalidTransition,
    NotFoundAtCrowd,
    Outcome,
    Throttled,
    Transient,
)

LIVE_HOST = "api.prolific.com"
CONNECT_SECONDS = 3.0
READ_SECONDS = 10.0
PAGE = 100
MOST_PAGES = 1000  # a longer list is an error
# Prolific documents no error code for it, so the text is searched.
NO_FUNDS = ("insufficient", "not enough", "top up", "top-up", "enough funds", "enough money")
SETTINGS = "Put a valid PROLIFIC_API_TOKEN into the settings (Prolific: Settings, API tokens)."


@dataclass(frozen=True)
class Reply:
    """An answer. status 0: there was none; `sent`: the request may have arrived."""

    status: int
    data: Any = None
    sent: bool = True
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def detail(self) -> str:
        """Return Prolific's words: `{"error": {"title", "detail", …}}`, or the whole answer."""
        error = self.data.get("error", self.data) if isinstance(self.data, dict) else self.data
        if isinstance(error, dict):
            said = error.get("detail") or error.get("message") or error.get("title") or error
        else:
            said = error
        return said if isinstance(said, str) else json.dumps(said, default=str)

    @property
    def code(self) -> str:
        """Return Prolific's error code, or the HTTP status."""
        error = self.data.get("error") if isinstance(self.data, dict) else None
        code = error.get("error_code") if isinstance(error, dict) else None
        return str(code or self.status)


class ProlificClient:
    """Prolific's REST API v1, with a token."""

    def __init__(self, base_url: str, api_token: str, *, read_seconds: float = READ_SECONDS):
        self.base_url = base_url.rstrip("/")
        self.netloc = urlsplit(self.base_url).netloc
        self._token = api_token
        self._read_seconds = read_seconds
        self._pool = urllib3.PoolManager(retries=False)
        self.ahead: timedelta | None = None  # of our clock, at the last answer

    @property
    def live(self) -> bool:
        return self.netloc == LIVE_HOST

    def ask(
        self, method: str, path: str, body: Any = None, *, seconds: float | None = None
    ) -> Reply:
        """Send one request. Raises only `Configuration`, before anything is sent."""
        self._check_settings()
        timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=seconds or self._read_seconds)
        headers = {"Authorization": f"Token {self._token}", "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body).encode()
        try:
            answer = self._pool.request(
                method,
                f"{self.base_url}/api/v1/{path}",
                body=sent,
                headers=headers,
                timeout=timeout,
                redirect=False,
            )
        except (ConnectTimeoutError, NewConnectionError):
            return Reply(0, sent=False)
        except HTTPError:
            return Reply(0)
        self.ahead = contract.ahead(answer.headers.get("Date"))
        return Reply(answer.status, _parsed(answer.data), headers=answer.headers)

    def close(self) -> None:
        self._pool.clear()

    def read(self, path: str) -> Any:
        """Return the answer to a GET; raises a `CrowdError` otherwise."""
        reply = self.ask("GET", path)
        if not reply.ok:
            raise error_of(reply)
        if not isinstance(reply.data, (dict, list)):
            raise Transient("Prolific’s answer was incomplete. Try again in a moment.")
        return reply.data

    def pages(self, path: str, **asked: str) -> Iterator[dict[str, Any]]:
        """Yield all results of a list, page after page.

        Prolific’s lists differ: some have `_links.next`, some only `meta.count`, some neither. Only
        the query of a `next` link is used, so the token is sent to no other server.
        """
        query, seen = urlencode({**asked, "limit": PAGE, "offset": 0}), 0
        for _page in range(MOST_PAGES):
            data = self.read(f"{path}?{query}")
            results = data.get("results", []) if isinstance(data, dict) else data
            yield from results
            seen += len(results)
            following = _following(data, seen, asked) if results else ""
            if not following:
                return
            query = following
        raise Transient("Prolific’s list does not end. Try again later.")

    def _check_settings(self) -> None:
        if not self._token:
            raise Configuration(f"Prolific is not set up. {SETTINGS}")
        if self.live and not self.base_url.startswith("https://"):
            raise Configuration("PROLIFIC_BASE_URL must start with https://.")


def error_of(reply: Reply) -> CrowdError:
    """Return the meaning of a failed request for reading."""
    if _no_funds(reply):
        return InsufficientFunds(
            f"There is not enough money in the Prolific account: {reply.detail}"
        )
    if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return Configuration(f"Prolific refuses our access: {reply.detail} {SETTINGS}")
    if reply.status == HTTPStatus.TOO_MANY_REQUESTS:
        return Throttled("Prolific accepts no more calls at the moment. Try again later.")
    if reply.status == 0 or reply.status >= 500:
        return Transient("Prolific does not answer. Try again in a moment.")
    if reply.status == HTTPStatus.NOT_FOUND:
        return NotFoundAtCrowd(f"Prolific knows nothing of it: {reply.detail}", code=reply.code)
    return InvalidTransition(f"Prolific refuses it: {reply.detail}", code=reply.code)


def outcome_of(reply: Reply, *, idempotent: bool = False) -> Outcome:
    """Return the meaning of a failed request for its effect.

    idempotent: doing it twice is the same as doing it once, so it is tried again after a server
        error. Raises `Configuration` where the settings do not fit; nothing happened then.
    """
    error = error_of(reply)
    if isinstance(error, Configuration):
        raise error
    unknown = reply.sent and not (idempotent and reply.status)
    if unknown and isinstance(error, Transient) and not isinstance(error, Throttled):
        return Outcome(Effect.AMBIGUOUS, error.code, error.message)
    return error.outcome()


def _no_funds(reply: Reply) -> bool:
    if not 400 <= reply.status < 500:
        return False
    said = reply.detail.lower()
    return reply.status == HTTPStatus.PAYMENT_REQUIRED or (
        any(words in said for words in NO_FUNDS) and ("fund" in said or "balance" in said)
    )


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw, parse_float=Decimal)
    except ValueError:
        return raw.decode("utf-8", "replace")[:500]


def _following(data: Any, seen: int, asked: Mapping[str, str]) -> str:
    """Return the query of the next page; "" after the last."""
    if not isinstance(data, dict):
        return ""
    href = ((data.get("_links") or {}).get("next") or {}).get("href")
    if isinstance(href, str) and href:
        return urlsplit(href).query
    count = (data.get("meta") or {}).get("count", 0)
    return urlencode({**asked, "limit": PAGE, "offset": seen}) if count > seen else ""


def path(*parts: str) -> str:
    """Return a path whose ids cannot lead to another resource."""
    for part in parts:
        if not part or not part.replace("-", "").isalnum():
            raise NotFoundAtCrowd(f"“{part}” cannot be an id at Prolific.")
    return "/".join(parts) + "/"
