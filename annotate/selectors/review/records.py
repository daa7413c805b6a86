"""Flags and appeals of a review, for the reviewer and for the annotator."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from annotate.models import Appeal, Flag
from annotate.screening.base import PAUSED
from annotate.screening.screens import is_sum


@dataclass(frozen=True)
class Fired:
    """A flag: the screen, and the annotator's numbers that made it fire."""

    screen: str
    at: datetime
    value: float | None
    low: float | None
    high: float | None
    threshold: float
    n: int
    numbers: Mapping[str, float | None]
    tier: str

    @property
    def pauses(self) -> bool:
        return self.tier == PAUSED


@dataclass(frozen=True)
class AppealRecord:
    """An appeal, and its answer once there is one.

    own_ruling: the person who answered had made the ruling in question.
    """

    text: str
    made_at: datetime
    due_at: datetime
    answered_at: datetime | None
    upheld: bool | None
    answer: str
    own_ruling: bool


def flags(review_ids: Iterable[int | None]) -> defaultdict[int | None, tuple[Fired, ...]]:
    """Return the flags of each review in their order. None ids have no flags."""
    found: defaultdict[int | None, tuple[Fired, ...]] = defaultdict(tuple)
    wanted = [pk for pk in review_ids if pk is not None]
    for flag in Flag.objects.filter(review__in=wanted).order_by("pk"):
        found[flag.review_id] += (_fired(flag),)
    return found


def signs(fired: Iterable[Fired]) -> tuple[Fired, ...]:
    """Return each sign once: the latest flag of each screen.

    The sum of all signs is none of its own where one of them stands beside it, unless the sum alone
    has paused the person.
    """
    latest = {flag.screen: flag for flag in fired}
    single = [flag for flag in latest.values() if not is_sum(flag.screen)]
    pauses = any(flag.tier == PAUSED for flag in single)
    return tuple(
        flag
        for flag in latest.values()
        if flag in single or not single or (flag.tier == PAUSED and not pauses)
    )


def appeals(review_id: int | None) -> tuple[AppealRecord, ...]:
    """Return the appeals of a review in their order."""
    return appeals_of([review_id])[review_id]


def appeals_of(
    review_ids: Iterable[int | None],
) -> defaultdict[int | None, tuple[AppealRecord, ...]]:
    """Return the appeals of each review in their order. None ids have none."""
    found: defaultdict[int | None, tuple[AppealRecord, ...]] = defaultdict(tuple)
    wanted = [pk for pk in review_ids if pk is not None]
    rows = Appeal.objects.filter(review__in=wanted).order_by("pk")
    columns = ("text", "made_at", "due_at", "answered_at", "upheld", "answer", "own_ruling")
    for review, *row in rows.values_list("review", *columns):
        found[review] += (AppealRecord(*row),)
    return found


def _fired(flag: Flag) -> Fired:
    said = flag.verdict
    return Fired(
        flag.screen,
        flag.at,
        said["value"],
        said["low"],
        said["high"],
        said["threshold"],
        said["n"],
        said.get("numbers", {}),
        flag.tier,
    )
