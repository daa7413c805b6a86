"""Gold items of a campaign: items with known answers, and what people answered."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from plumbline_client.rows import read
from plumbline_client.transport import Transport


@dataclass(frozen=True, slots=True)
class GoldItem:
    """An item with a known answer. chance: that a guess is right."""

    item: str
    kind: str
    output: str
    expected: Mapping[str, Any]
    chance: float
    confirmed: bool  # others are not used
    answered: int
    right: int


@dataclass(frozen=True, slots=True)
class GoldState:
    """share: gold items among 25 tasks of a person."""

    share: int
    items: tuple[GoldItem, ...]


class Gold:
    """The gold items of a campaign. They are added to a draft."""

    def __init__(self, at: Transport, campaign: str) -> None:
        self._at = at
        self._path = f"{campaign}gold/"

    def state(self) -> GoldState:
        return self._state(self._at.get(self._path))

    def people(self) -> Iterator[Mapping[str, Any]]:
        """Yield what people answered, who is listed first."""
        return self._at.pages(f"{self._path}people/")

    def add(self, rows: Iterable[Mapping[str, Any]]) -> GoldState:
        """Add rows with `item`, `output` and `expected`, all of them or none."""
        return self._state(self._at.post(self._path, {"gold": [dict(row) for row in rows]}))

    def share(self, of_25: int) -> GoldState:
        """Let so many of every 25 tasks of a person be gold items."""
        return self._state(self._at.patch(self._path, {"share": of_25}))

    def confirm(self, items: Iterable[str]) -> GoldState:
        return self._state(self._at.post(f"{self._path}confirm/", {"items": list(items)}))

    def remove(self, items: Iterable[str]) -> GoldState:
        return self._state(self._at.post(f"{self._path}remove/", {"items": list(items)}))

    def _state(self, first: Mapping[str, Any]) -> GoldState:
        """Return it from the first page of its items, and the pages after it."""
        rows = self._at.rest(first, "items")
        return GoldState(first["share"], tuple(read(GoldItem, one) for one in rows))
