"""Comparisons of two texts: answers in either order, and their scores.

A stored answer is for the pair's own order: positive where the first system's text is better.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from annotate.instruments.base import Criterion

TURNED = "turned"  # of a stored answer: whether the second text was shown first
WINS = "_wins"  # ends the name of the criterion that counts wins


class PairScale(Criterion):
    """A score of two texts, counted from a tie in the middle of its scale."""

    @property
    def most_apart(self) -> float:
        return self.high - self.tie


class PreferenceScale(PairScale):
    """How far the first of two texts is preferred."""

    @property
    def compares(self) -> bool:
        return True

    @property
    def scale_text(self) -> str:
        return "from −1 (the second is always clearly better) to 1 (the first is)"


class WinScale(PairScale):
    """How often the first of two texts is better."""

    @property
    def wins_of(self) -> str:
        return self.name.removesuffix(WINS)

    @property
    def scale_text(self) -> str:
        return "from 0 to 1: the share of comparisons that the first wins; a tie counts half"


def scored(criteria: Sequence[Criterion]) -> Iterator[Criterion]:
    """Yield each criterion as preference, -1 to 1, and then its share of wins, 0 to 1."""
    for one in criteria:
        shared = {field.name: getattr(one, field.name) for field in fields(Criterion)}
        yield PreferenceScale(**shared | {"low": -1, "high": 1})
        yield WinScale(
            one.name + WINS,
            low=0,
            high=1,
            label=format_lazy("{} ({})", one.label, _("wins")),
            question=_("How often the first text is better; a tie is half a win"),
            balance=one.balance,
            person_share=one.person_share,
        )


def scores(response: Mapping[str, Any], criteria: Sequence[Criterion]) -> dict[str, float]:
    """Return how far the first text is preferred, -1 to 1, and whether it wins: 0, ½ or 1."""
    found = {}
    for one in criteria:
        value = response[one.name] / max(level.value for level in one.levels)
        found[one.name] = value
        found[one.name + WINS] = (1 + (value > 0) - (value < 0)) / 2
    return found


def in_own_order(seen: Mapping[str, int], *, turned: bool) -> dict[str, Any]:
    """Return the answers of a page as they are stored."""
    return {**_signed(seen, turned=turned), TURNED: turned}


def as_seen(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored answers as their annotator gave them."""
    seen = {name: value for name, value in response.items() if name != TURNED}
    return _signed(seen, turned=response[TURNED])


def _signed(answers: Mapping[str, int], *, turned: bool) -> dict[str, int]:
    return {name: -value if turned else value for name, value in answers.items()}
