"""A ranking as a reader sees it: places with ties, the state of each pair, what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from django.db.models import Count, Q

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.text.figures import count, many, number, short
from estimation.core import (
    MIN_EFFECTIVE_ANNOTATORS,
    MIN_ITEMS,
    MIN_ITEMS_UNBOUNDED,
    Pair,
    PairOutcome,
    places,
)
from estimation.selectors import comparisons, history
from estimation.selectors.criteria.cells import State
from estimation.selectors.criteria.contrasts import (
    Axis,
    ContrastTable,
    NewestComparison,
    ShownContrast,
    place_text,
)
from estimation.selectors.history import Newest

PEOPLE, ITEMS, NEITHER = "people", "items", "neither"  # what would settle an open pair


@dataclass(frozen=True)
class Placed:
    """A system with the best and the worst place that it can have."""

    system: str
    best: int
    worst: int
    estimate: float | None
    left: bool  # its sample has ended

    @property
    def place(self) -> str:
        return place_text(self.best, self.worst)


@dataclass(frozen=True)
class RankedPair:
    """Two systems on one criterion; `contrast` is None before their first comparison."""

    first: str
    second: str
    criterion: Criterion
    margin: float
    contrast: ShownContrast | None

    @property
    def row(self) -> NewestComparison | None:
        return self.contrast.row if self.contrast else None

    @property
    def shown(self) -> ShownContrast | None:
        """Its numbers, once they rest on enough items to be shown."""
        return self.contrast if self.contrast and self.contrast.is_shown else None

    @property
    def outcome(self) -> PairOutcome:
        found: PairOutcome = self.row.detail.get("outcome", "open") if self.row else "open"
        return found

    @property
    def is_open(self) -> bool:
        return self.outcome == "open"

    @property
    def name(self) -> str:
        return f"{self.first} and {self.second}"

    @property
    def better(self) -> str:
        """The better system, where it is known; else ""."""
        if self.outcome not in ("first", "second"):
            return ""
        first = (self.outcome == "first") == self.criterion.higher_is_better
        return self.first if first else self.second

    @property
    def state(self) -> State:
        if self.better:
            return State("good", "check", f"{self.better} is better")
        if self.outcome == "close":
            return State("good", "check", f"they differ by less than {short(self.margin)}")
        return State("", "clock", f"open: {self.missing}")

    @property
    def missing(self) -> str:
        """What would settle this pair, in a few words."""
        if self.needs_people:
            return "ask more people"
        if self.row is None or self.row.low is None:
            return "too few items yet"
        if self.more_items is not None:
            return f"about {many(self.more_items, 'more item')} of each"
        return "these items may not decide it"

    @property
    def needs(self) -> str:
        """What would settle an open pair, as a code."""
        if not self.is_open:
            return ""
        return str(self.row.detail.get("needs", ITEMS)) if self.row else ITEMS

    @property
    def needs_people(self) -> bool:
        return self.needs == PEOPLE

    @property
    def more_items(self) -> int | None:
        """About how many more items of each system decide it."""
        needed = self.row.detail.get("items_needed") if self.row else None
        return None if self.row is None or needed is None else max(1, needed - self.row.n_items)

    @property
    def openness(self) -> float:
        """How far it is from a decision: in items, and most where items do not decide it."""
        return float("inf") if self.more_items is None else self.more_items


@dataclass(frozen=True)
class Ranking:
    """All systems and pairs on one primary criterion."""

    criterion: Criterion
    margin: float
    placed: tuple[Placed, ...]
    pairs: tuple[RankedPair, ...]

    @property
    def axis(self) -> Axis | None:
        """The one on which all pairs are drawn."""
        return next((pair.shown.axis for pair in self.pairs if pair.shown), None)

    @property
    def open_pairs(self) -> tuple[RankedPair, ...]:
        """Those that are not decided, the furthest from it first."""
        found = [pair for pair in self.pairs if pair.is_open]
        return tuple(sorted(found, key=lambda pair: -pair.openness))

    @property
    def in_words(self) -> str:
        """Such as `1 good, 2–3 fair, 2–3 alike, 4 poor`."""
        return ", ".join(f"{one.place} {one.system}" for one in self.placed)


@dataclass(frozen=True)
class Rankings:
    """The ranking on each primary criterion; none in a campaign of another mode."""

    each: tuple[Ranking, ...] = ()

    @property
    def open_pairs(self) -> tuple[RankedPair, ...]:
        return tuple(pair for one in self.each for pair in one.open_pairs)

    @property
    def n_pairs(self) -> int:
        return sum(len(one.pairs) for one in self.each)

    @property
    def n_decided(self) -> int:
        return self.n_pairs - len(self.open_pairs)

    @property
    def places(self) -> dict[tuple[str, str], str]:
        """Of each system, by criterion and its name."""
        return {(one.criterion.name, at.system): at.place for one in self.each for at in one.placed}

    @property
    def settles(self) -> str:
        """Return what would settle the open pairs, in sentences; "" if there are none."""
        return f"{_of_people(self.open_pairs)}{_of_items(self.open_pairs)}".strip()


def of(facts: CampaignFacts) -> Rankings:
    """Return the rankings of a campaign as they are now; two queries."""
    newest = history.latest(facts.campaign_id, facts.criterion_names)
    return rankings(facts, comparisons.tables(facts), newest)


def rankings(
    facts: CampaignFacts, tables: Sequence[ContrastTable], newest: Sequence[Newest]
) -> Rankings:
    """Return the ranking on each primary criterion; none in another mode."""
    if not facts.is_ranking:
        return Rankings()
    estimates = {(row.criterion, row.system_id): row.estimate for row in newest}
    rows = {
        (contrast.criterion.name, contrast.first, contrast.second): contrast
        for table in tables
        for contrast in table.contrasts
    }
    return Rankings(
        tuple(_ranking(facts, criterion, rows, estimates) for criterion in facts.primary)
    )


def _ranking(
    facts: CampaignFacts,
    criterion: Criterion,
    rows: dict[tuple[str, str, str], ShownContrast],
    estimates: dict[tuple[str, int], float],
) -> Ranking:
    margin = facts.margins[criterion.name]
    pairs = tuple(
        RankedPair(
            first.name,
            second.name,
            criterion,
            margin,
            rows.get((criterion.name, first.name, second.name)),
        )
        for first, second in combinations(facts.systems, 2)
    )
    outcomes: dict[Pair, PairOutcome] = {(pair.first, pair.second): pair.outcome for pair in pairs}
    found = places(outcomes, higher_is_better=criterion.higher_is_better)
    placed = [
        Placed(
            system.name,
            *found.get(system.name, (1, 1)),
            estimates.get((criterion.name, system.system_id)),
            system.stop_position is not None,
        )
        for system in facts.systems
    ]
    sign = -1 if criterion.higher_is_better else 1
    placed.sort(key=lambda one: (one.best, one.worst, sign * (one.estimate or 0.0)))
    return Ranking(criterion, margin, tuple(placed), pairs)


def _of_people(pairs: Sequence[RankedPair]) -> str:
    short = [pair for pair in pairs if pair.needs_people]
    if not short:
        return ""
    few = [
        pair.row.effective_annotators
        for pair in short
        if pair.row and pair.row.effective_annotators < MIN_EFFECTIVE_ANNOTATORS
    ]
    of = many(len(short), "open pair")
    if few:
        return (
            f"Ask more people: {of} rest{'s' if len(short) == 1 else ''} on the work of "
            f"{number(min(few), 1)} effective annotators, and a decision takes "
            f"{number(MIN_EFFECTIVE_ANNOTATORS, 0)}. "
        )
    return (
        f"Ask more people: they differ so much about {of} that more items by the same people do "
        "not decide. "
    )


def _of_items(pairs: Sequence[RankedPair]) -> str:
    others = [pair for pair in pairs if not pair.needs_people]
    if not others:
        return ""
    known = [pair for pair in others if pair.row and pair.row.low is not None]
    if not known:
        bounded = all(pair.criterion.bounded for pair in others)
        least = MIN_ITEMS if bounded else MIN_ITEMS_UNBOUNDED
        return f"The first pairs can be decided after {least} items of each system."
    furthest = max(known, key=lambda pair: pair.openness)
    named = f"The pair furthest from a decision is {furthest.name}"
    if furthest.more_items is not None:
        more = many(furthest.more_items, "more item")
        return f"{named}: about {more} of each decide it if their difference stays as it is."
    return (
        f"{named}: all {count(_population(furthest))} items may not decide it, because its "
        f"difference is near half the margin ({short(furthest.margin / 2)}), or its scores vary a "
        "lot."
    )


def _population(pair: RankedPair) -> int:
    return pair.row.n_population if pair.row else 0


def decided(campaign_ids: Sequence[int]) -> dict[int, int]:
    """Return how many pairs are decided, by campaign; one query."""
    rows = comparisons.newest_of(campaign_ids).order_by().values("campaign")
    known: Any = Q(detail__outcome__in=["first", "second", "close"])
    counted = rows.annotate(n=Count("pk", filter=known))
    return dict(counted.values_list("campaign", "n"))
