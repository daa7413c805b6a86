"""A ranking as a reader sees it: places with ties, the state of each pair, what is missing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
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
    circles,
    places,
)
from estimation.selectors import comparisons, history
from estimation.selectors.criteria import decided as of_pairs
from estimation.selectors.criteria.cells import State
from estimation.selectors.criteria.contrasts import (
    Axis,
    ContrastTable,
    ShownContrast,
    place_text,
)
from estimation.selectors.criteria.decided import RankedPair
from estimation.selectors.history import Newest


@dataclass(frozen=True)
class Placed:
    """A system with the best and the worst place that it can have.

    estimate: its score; None before the first, and where pairs are judged side by side.
    """

    system: str
    best: int
    worst: int
    estimate: float | None
    left: bool  # its sample has ended

    @property
    def place(self) -> str:
        return place_text(self.best, self.worst)


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
    def is_together(self) -> bool:
        """Return whether the texts of each pair are judged side by side."""
        return any(pair.together for pair in self.pairs)

    @property
    def circles(self) -> tuple[tuple[str, ...], ...]:
        """Return the systems that are better than each other all around, such as a, b and c."""
        return circles({(pair.first, pair.second): pair.outcome for pair in self.pairs})

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
    def decisions(self) -> dict[tuple[str, str], State]:
        """What is decided of each pair that is judged side by side, by criterion and its name."""
        pairs = (pair for one in self.each for pair in one.pairs if pair.together)
        return {(pair.criterion.name, pair.together): pair.state for pair in pairs}

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
    if facts.compares:
        tables = of_pairs.from_ties(facts, newest)
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
            first, second, criterion, margin, rows.get((criterion.name, first, second)), name
        )
        for first, second, name in of_pairs.named(facts)
    )
    outcomes: dict[Pair, PairOutcome] = {(pair.first, pair.second): pair.outcome for pair in pairs}
    found = places(outcomes, higher_is_better=criterion.higher_is_better)
    placed = [
        Placed(
            name,
            *found.get(name, (1, 1)),
            None if facts.compares else estimates.get((criterion.name, samples[0].system_id)),
            all(one.stop_position is not None for one in samples),
        )
        for name, samples in of_pairs.parts(facts).items()
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
        each = "pair" if others[0].together else "system"
        return f"The first pairs can be decided after {least} items of each {each}."
    furthest = max(known, key=lambda pair: pair.openness)
    named = f"The pair furthest from a decision is {furthest.name}"
    if furthest.more_items is not None:
        difference = "the preference" if furthest.together else "their difference"
        return f"{named}: about {furthest.more} decide it if {difference} stays as it is."
    return (
        f"{named}: all {count(_population(furthest))} items may not decide it, because its "
        f"difference is near half the margin ({short(furthest.margin / 2)}), or its scores vary a "
        "lot."
    )


def _population(pair: RankedPair) -> int:
    return pair.row.n_population if pair.row else 0


def decided(campaign_ids: Sequence[int]) -> dict[int, int]:
    """Return how many pairs are decided, by campaign: as differences, or judged side by side."""
    known: Any = Q(detail__outcome__in=["first", "second", "close"])
    found: Counter[int] = Counter()
    for rows in (comparisons.newest_of(campaign_ids), history.newest(campaign_ids)):
        each = rows.filter(known).order_by().values("campaign").annotate(n=Count("pk"))
        found.update(dict(each.values_list("campaign", "n")))
    return dict(found)
