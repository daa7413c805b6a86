"""The client: campaigns from their file to their results, reviews, and batches."""

import json
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

from plumbline_client import rows
from plumbline_client.errors import PlumblineError, Refused, row_problems
from plumbline_client.gold import Gold
from plumbline_client.money import Batches, Pay
from plumbline_client.rows import Campaign, Comparison, Estimate, Import, Judgment, Subscription
from plumbline_client.transport import Transport

TIMEOUT = 60.0  # seconds
Row = TypeVar("Row", Campaign, Import)


class Plumbline:
    """A connection to a Plumbline server. Close it, or use it in a `with` statement.

    url, token: by default the environment's PLUMBLINE_URL and PLUMBLINE_TOKEN.
    timeout: seconds that the server may stay silent.
    insecure: whether the token may go over plain http to another machine.

    Requests are repeated up to three times where the server is away, but for the export and files.
    What changes something carries a key, by which the server knows a repeat: it is done once.
    """

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

    # --- campaigns

    def campaigns(self) -> Iterator[Campaign]:
        """Yield the account’s campaigns, the newest first."""
        return map(rows.campaign, self._at.pages("campaigns/"))

    def campaign(self, campaign: str) -> Campaign:
        return rows.campaign(self._at.get(_of(campaign)))

    def create(
        self,
        name: str,
        outputs: Path | Iterable[Mapping[str, Any]],
        *,
        key: str | None = None,
        wait: float = 600.0,
        **plan: Any,
    ) -> Campaign:
        """Import outputs as a campaign; it is a draft until `open`.

        outputs: a file (JSON lines, JSON, CSV), or rows with `item`, `system` and `output`.
        key: your own; the same request with the same key is done once. wait: seconds for a large
        file that a worker reads. plan: such as `targets={"overall": 0.2}`, `reward="0.40"`; the
        API’s description lists all. Raises `Refused` with the problems of the file or the plan.
        """
        body = {"name": name, "key": key or uuid.uuid4().hex, **plan}
        if isinstance(outputs, Path):
            told = self._send_file(body, outputs)
        else:
            told = self._at.post("campaigns/", {**body, "outputs": [dict(row) for row in outputs]})
        if "targets" in told:
            return rows.campaign(told)
        return self.wait_for_import(told["id"], wait=wait)

    def _send_file(self, body: Mapping[str, Any], outputs: Path) -> Any:
        fields = {name: _field(value) for name, value in body.items() if value is not None}
        with outputs.open("rb") as file:
            files = {"file": (outputs.name, file)}
            return self._at.send_once("campaigns/", data=fields, files=files)

    def imported(self, import_id: str) -> Import:
        return rows.import_(self._at.get(f"imports/{quote(import_id, safe='')}/"))

    def wait_for_import(self, import_id: str, *, wait: float = 600.0) -> Campaign:
        """Return the campaign of an import once it exists.

        Raises `Refused` with the problems of its file, and `TimeoutError` after `wait` seconds.
        """
        found = self._until(
            lambda: self.imported(import_id),
            lambda one: one.status in ("done", "refused", "failed", "cancelled", "ready"),
            wait=wait,
            every=1.0,
        )
        if found.campaign:
            return self.campaign(found.campaign)
        refusal = found.data.get("refusal") or {}
        message = str(refusal.get("message") or f"The import is {found.status}.")
        raise Refused(message, status=422, code=found.status, problems=row_problems(refusal))

    def open(self, campaign: str) -> Campaign:
        """Start collecting, or go on after a pause."""
        return rows.campaign(self._at.post(f"{_of(campaign)}open/"))

    def pause(self, campaign: str) -> Campaign:
        return rows.campaign(self._at.post(f"{_of(campaign)}pause/"))

    def end(self, campaign: str) -> Campaign:
        """Close the campaign by hand; its final estimates follow."""
        return rows.campaign(self._at.post(f"{_of(campaign)}close/"))

    def archive(self, campaign: str) -> Campaign:
        """Put a draft or a closed campaign away for good; its numbers stay."""
        return rows.campaign(self._at.post(f"{_of(campaign)}archive/"))

    def delete_draft(self, campaign: str) -> None:
        """Delete a campaign that was never open, with its texts. `Conflict` for any other."""
        self._at.post(f"{_of(campaign)}delete/")

    def wait_until_closed(self, campaign: str, *, timeout: float, every: float = 30.0) -> Campaign:
        """Return the campaign once it is closed; `TimeoutError` after `timeout` seconds."""
        return self._until(
            lambda: self.campaign(campaign), lambda one: one.is_over, wait=timeout, every=every
        )

    def _until(
        self, look: Callable[[], Row], is_done: Callable[[Row], bool], *, wait: float, every: float
    ) -> Row:
        until = time.monotonic() + wait
        while not is_done(found := look()):
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"It is still {found.status} after {wait:g} seconds.")
            self._sleep(min(every, left))
        return found

    # --- people

    def link(self, campaign: str) -> str:
        """Return the link by which everybody can judge."""
        return str(self._at.get(f"{_of(campaign)}links/")["open"])

    def personal_links(self, campaign: str, names: Iterable[str]) -> dict[str, str]:
        """Return a link for each name or code."""
        told = self._at.post(f"{_of(campaign)}links/", {"names": list(names)})
        return {one["name"]: one["link"] for one in told["personal"]}

    # --- results

    def estimates(self, campaign: str) -> Iterator[Estimate]:
        """Yield the newest estimate of each system and criterion."""
        return map(rows.estimate, self._at.pages(f"{_of(campaign)}estimates/"))

    def comparisons(self, campaign: str) -> Iterator[Comparison]:
        """Yield the newest difference of each pair of systems on each primary criterion."""
        return map(rows.comparison, self._at.pages(f"{_of(campaign)}comparisons/"))

    def judgments(self, campaign: str) -> Iterator[Judgment]:
        """Yield all judgments in the order in which they came."""
        listed = self._at.pages(f"{_of(campaign)}judgments/", page_size=1000)
        return map(rows.judgment, listed)

    def listed(self, campaign: str, what: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows of another list of a campaign, as the API tells them.

        what: items, outputs, metrics, annotators, exclusions, decisions, agreement, batches, ...
        """
        return self._at.pages(f"{_of(campaign)}{quote(what)}/", **query)

    def told(self, campaign: str, what: str) -> dict[str, Any]:
        """Return one answer about a campaign as the API tells it: report, ranking, screens, ..."""
        return dict(self._at.get(f"{_of(campaign)}{quote(what)}/"))

    def export(self, campaign: str, to: Path) -> Path:
        """Write the zip with all of a campaign; nothing stands at `to` unless all of it came."""
        self._at.save(f"{_of(campaign)}export/", to)
        return to

    # --- reviews

    def reviews(self, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield who waits for a ruling or a look; query: campaign, screen, tier, crowd, by."""
        return self._at.pages("reviews/", **query)

    def rule(
        self, campaign: str, annotator: str, *, acts: Iterable[str], reason: str, seen: int
    ) -> dict[str, Any]:
        """Rule on an annotator, by pseudonym. seen: the number of judgments that were looked at."""
        body = {"acts": list(acts), "reason": reason, "seen": seen}
        return dict(
            self._at.post(f"{_of(campaign)}reviews/{quote(annotator, safe='')}/rule/", body)
        )

    # --- money and gold

    def batches(self, campaign: str) -> Batches:
        """Return the batches on the campaign’s crowd: look through them, offer, launch, stop."""
        return Batches(self._at, _of(campaign))

    def pay(self, campaign: str) -> Pay:
        """Return the pay of the campaign: accounts, extra pay, pay-out lists."""
        return Pay(self._at, _of(campaign))

    def gold(self, campaign: str) -> Gold:
        """Return the gold items of the campaign."""
        return Gold(self._at, _of(campaign))

    # --- notifications

    def tell_me(
        self, campaign: str, *, events: Iterable[str], webhook: str | None = None
    ) -> Subscription:
        """Be told of events by a mail to the account’s address, or by calls of `webhook`.

        events: of closed, decision, flag, budget, status. `plumbline_client.webhook` checks calls.
        """
        channel = "webhook" if webhook else "mail"
        body = {"channel": channel, "url": webhook or "", "events": list(events)}
        return rows.subscription(self._at.post(f"{_of(campaign)}notifications/", body))

    def notifications(self, campaign: str) -> Iterator[Subscription]:
        """Yield who is told of events, then the last subscriptions that have ended."""
        return map(rows.subscription, self._at.pages(f"{_of(campaign)}notifications/"))

    def test_notifications(self, campaign: str, subscription: str) -> Subscription:
        """Let a test be sent soon."""
        return self._notifications(campaign, subscription, "test")

    def end_notifications(self, campaign: str, subscription: str) -> Subscription:
        """End a subscription. Safe to repeat."""
        return self._notifications(campaign, subscription, "end")

    def _notifications(self, campaign: str, subscription: str, act: str) -> Subscription:
        at = f"{_of(campaign)}notifications/{quote(subscription, safe='')}/{act}/"
        return rows.subscription(self._at.post(at))

    # --- anything else

    def get(self, path: str, **query: Any) -> Any:
        """Return the answer at another address of the API, such as `instruments/`."""
        return self._at.get(path.lstrip("/"), **query)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send to another address of the API. It is done once, also where it is repeated."""
        return self._at.post(path.lstrip("/"), body)


def _of(campaign: str) -> str:
    if not campaign:
        raise PlumblineError("Give the id of a campaign.")
    return f"campaigns/{quote(campaign, safe='')}/"


def _field(value: Any) -> Any:
    """Return a value as a form sends it: lists repeat their field, objects are JSON."""
    if isinstance(value, Mapping):
        return json.dumps(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return list(value)
    return str(value)
