"""What costs money: batches on a crowd, and pay. For owners of a campaign."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from plumbline_client import keywords
from plumbline_client.rows import read, reader
from plumbline_client.transport import Transport


@dataclass(frozen=True, slots=True)
class Offer:
    """What places on a crowd would cost. problems: field and message; no launch while there are."""

    total: Decimal
    environment: str
    places: int
    problems: tuple[tuple[str, str], ...]
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Batch:
    """A launch. reward: of one submission; None for those who do not see money."""

    id: str
    title: str
    state: str
    places: int
    reward: Decimal | None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Account:
    """The money of one annotator. external_id: who is paid."""

    annotator: str
    external_id: str
    earned: Decimal
    refused: Decimal
    paid: Decimal
    due: Decimal


@dataclass(frozen=True, slots=True)
class PayoutLine:
    """One person on a pay-out list. state: "", paid or undone."""

    annotator: str
    external_id: str
    amount: Decimal
    state: str


class Batches:
    """The batches of a campaign. Each launch repeats the total of its offer, and costs it."""

    def __init__(self, at: Transport, campaign: str) -> None:
        self._at = at
        self._path = f"{campaign}batches/"

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches, the newest first."""
        return map(_batch, self._at.pages(self._path))

    def offer(self, places: int, **terms: Any) -> Offer:
        """Return what a batch would cost. Nothing is published.

        terms: `title`, `description`, `tasks`, `minutes`, `audience`, ... as the API describes.
        Raises TypeError for another keyword.
        """
        keywords.check("offer", terms, keywords.TERMS)
        return _offer(self._at.post(f"{self._path}offer/", {**terms, "places": places}))

    def launch(self, offer: Offer, *, key: str | None = None, **terms: Any) -> Batch:
        """Launch what was offered, with the same terms.

        key: your own; the same launch with the same key is one batch. Raises `Conflict` if the
        total has changed meanwhile, TypeError for a keyword that is no term.
        """
        keywords.check("launch", terms, keywords.TERMS)
        return _batch(self._at.post(self._path, {**terms, **_agreed(offer, key)}))

    def offer_more(self, batch: str, places: int) -> Offer:
        """Return what further places of a batch would cost."""
        return _offer(self._at.post(f"{self._of(batch)}offer/", {"places": places}))

    def extend(self, batch: str, offer: Offer, *, key: str | None = None) -> Batch:
        """Add the places that were offered."""
        return _batch(self._at.post(f"{self._of(batch)}extend/", _agreed(offer, key)))

    def stop(self, batch: str) -> Batch:
        """Let nobody new in; people who have accepted may finish. Safe to repeat."""
        return _batch(self._at.post(f"{self._of(batch)}stop/"))

    def look(self) -> int:
        """Let the server compare with the crowd now; return of how many postings."""
        return int(self._at.post(f"{self._path}sync/")["postings"])

    def _of(self, batch: str) -> str:
        return f"{self._path}{quote(batch, safe='')}/"


class Pay:
    """What people of a campaign earned, and how they are paid."""

    def __init__(self, at: Transport, campaign: str) -> None:
        self._at = at
        self._path = campaign

    def __iter__(self) -> Iterator[Account]:
        """Yield what everybody earned, was refused, was paid and is due."""
        return map(_account, self._at.pages(f"{self._path}accounts/", rows="accounts"))

    def give(
        self,
        annotator: str,
        amount: Decimal | str,
        *,
        kind: str,
        reason: str,
        key: str | None = None,
        beyond_budget: bool = False,
    ) -> bool:
        """Give a bonus or a compensation (`kind`); return False if the key has given it before.

        reason: the annotator reads it.
        """
        body = {
            "annotator": annotator,
            "amount": str(amount),
            "kind": kind,
            "reason": reason,
            "key": key or uuid.uuid4().hex,
            "beyond_budget": beyond_budget,
        }
        return not self._at.post(f"{self._path}extra-pay/", body)["already"]

    def prepare(self) -> str:
        """Make a pay-out list of what is due now; return its id."""
        return str(self._at.post(f"{self._path}payouts/")["id"])

    def lists(self) -> Iterator[dict[str, Any]]:
        """Yield the pay-out lists without their lines, the newest first."""
        return self._at.pages(f"{self._path}payouts/")

    def lines(self, payout: str) -> Iterator[PayoutLine]:
        """Yield the lines of a list."""
        return map(_line, self._at.pages(self._of(payout), rows="lines"))

    def mark_paid(self, payout: str) -> None:
        """Record that everybody on the list was paid. Safe to repeat."""
        self._at.post(f"{self._of(payout)}paid/")

    def undo(self, payout: str, annotators: Iterable[str], *, reason: str) -> None:
        """Take the mark back for some people, so that their pay is due again."""
        body = {"annotators": list(annotators), "reason": reason}
        self._at.post(f"{self._of(payout)}undo/", body)

    def _of(self, payout: str) -> str:
        return f"{self._path}payouts/{quote(payout, safe='')}/"


def _agreed(offer: Offer, key: str | None) -> dict[str, Any]:
    return {
        "places": offer.places,
        "confirmed": str(offer.total),
        "environment": offer.environment,
        "key": key or uuid.uuid4().hex,
    }


def _offer(data: Mapping[str, Any]) -> Offer:
    problems = tuple((one["field"], one["message"]) for one in data["problems"])
    return read(Offer, data, problems=problems)


_batch, _account, _line = reader(Batch), reader(Account), reader(PayoutLine)
