"""Instruments: what campaigns ask people, built in or defined, and the tutorials for them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote

from plumbline_client.rows import read, reader
from plumbline_client.transport import Transport


@dataclass(frozen=True, slots=True)
class Criterion:
    """One score that an instrument gives. low, high: a working range where it is not bounded."""

    name: str
    label: str
    low: float
    high: float
    bounded: bool
    higher_is_better: bool


@dataclass(frozen=True, slots=True)
class Instrument:
    """One version of an instrument; a plan names it by `reference`.

    definition: None in the list, and of an instrument without one.
    """

    key: str
    version: str
    reference: str
    label: str
    built_in: bool
    criteria: tuple[Criterion, ...]
    definition: Mapping[str, Any] | None = field(default=None, repr=False)
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Tutorial:
    """A tutorial that a researcher supplied; a plan names its `id` as `tutorial_id`."""

    id: int
    instrument: str
    title: str
    language: str
    version: str
    n_questions: int
    created_at: datetime
    campaigns: int  # that use it
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class Instruments:
    """The instruments of a server. reference: the `key` (its latest version), or `key@version`."""

    def __init__(self, at: Transport) -> None:
        self._at = at

    def __iter__(self) -> Iterator[Instrument]:
        """Yield the newest version of each, without its definition."""
        return map(_instrument, self._at.pages("instruments/"))

    def read(self, reference: str) -> Instrument:
        return _instrument(self._at.get(_path(reference)))

    def define(self, definition: Mapping[str, Any]) -> Instrument:
        """Store a definition: the next version of its key, or the identical one that exists.

        Raises `Refused` with what to correct, `Conflict` for a key that is somebody else's.
        """
        return _instrument(self._at.post("instruments/", definition))

    def tutorials(self, reference: str) -> Iterator[Tutorial]:
        """Yield the tutorials that researchers supplied for it."""
        return map(_tutorial, self._at.pages(f"{_path(reference)}tutorials/"))

    def languages(self, reference: str) -> tuple[str, ...]:
        """Return the languages of the tutorials that come with it."""
        return tuple(self._at.get(f"{_path(reference)}tutorials/")["built_in"])

    def store_tutorial(self, reference: str, content: Mapping[str, Any]) -> Tutorial:
        """Store a tutorial for it; the same content is stored once."""
        return _tutorial(self._at.post(f"{_path(reference)}tutorials/", content))


def _path(reference: str) -> str:
    return f"instruments/{quote(reference, safe='@')}/"


def _instrument(data: Mapping[str, Any]) -> Instrument:
    criteria = tuple(read(Criterion, one) for one in data["criteria"])
    return read(Instrument, data, criteria=criteria)


_tutorial = reader(Tutorial)
