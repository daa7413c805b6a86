"""The far side of a marketplace, as tests see it: a running server with people in front of it."""

from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from annotate.crowds.contract import Marketplace


class NoPlace(Exception):
    """Nobody can accept this: full, over, held already by the same person, or unknown."""


class Fault(StrEnum):
    """What goes wrong with the next call of an operation."""

    BEFORE = "before"  # a server error; nothing happened
    AFTER = "after"  # the effect happened, then the connection broke
    THROTTLE = "throttle"  # refused for too many calls; nothing happened
    TIMEOUT = "timeout"  # no answer, and then no connection; nothing happened


class FarSide(Protocol):
    """A running server with a person-side and a memory of what was done to it."""

    @property
    def balance(self) -> Decimal:
        """What the requester has left."""

    @balance.setter
    def balance(self, amount: Decimal) -> None: ...

    def adapter(self) -> Marketplace: ...

    def person(self, number: int) -> str:
        """Return the name of somebody, as this crowd names people."""

    def accept(self, listing: str, person: str) -> str:
        """Take a place; return the paid unit. Raises `NoPlace`."""

    def submit(self, unit: str, *, receipt: str) -> None:
        """Hand a unit in, as the completion form or redirect does; twice does no harm."""

    def give_back(self, unit: str) -> None:
        """Return an accepted unit; its place is free again."""

    def move_clock(self, by: timedelta) -> None:
        """Move the far side's clock; ours is not touched."""

    def fail_next(self, operation: str, how: Fault) -> None:
        """Let the next call behind this method of `Marketplace` fail ("publish", "approve", …).

        A client that silently re-sends meets the fault again with each re-send of that one call
        (AFTER: each is carried out, and none is answered); later calls are answered as usual.
        """

    def heal(self) -> None:
        """End all faults that still wait."""

    def postings(self) -> list[str]:
        """Return the listings that exist, archived ones too, oldest first."""

    def paid(self) -> dict[str, Decimal]:
        """Return what was paid for each approved unit, fees not included."""

    def bonuses(self) -> list[tuple[str, str, Decimal]]:
        """Return all bonuses paid: (person, unit, amount)."""

    def close(self) -> None: ...
