"""Tables of numbers: differences, agreement, sensitivity, early stops and ranking."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from statistics import fmean
from types import MappingProxyType
from typing import Any

from django.db.models import Count, Q

from annotate.campaigns.lists import CampaignFacts
from annotate.campaigns.plans import typical
from annotate.common.numbers import count, many, number, percent, short
from annotate.instruments.base import Criterion
from annotate.models.base import CloseReason, StopMode
from annotate.review import effects
from annotate.review.effects import BY_HAND, ExcludedCounts, RulingStatistics
from estimation import core, read
from estimation.core import planning
from estimation.models import Agreement, Estimate
from estimation.pages import criteria as pages_criteria
from estimation.pages.criteria import (
    MARGIN,
    PLOT,
    Adjustment,
    Axis,
    ContrastTable,
    RankedPair,
    ShownCell,
    ShownContrast,
    State,
    place_text,
    table_of,
)
from estimation.read import Awaited

USUAL: Adjustment = "holm"
ADJUSTMENTS: Mapping[Adjustment, str] = MappingProxyType(
    {"holm": "Holm", "simultaneous": "simultaneous intervals", "none": "not at all"}
)


def offered(facts: CampaignFacts) -> dict[Adjustment, str]:
    """Return the adjustments that a campaign's pairs can have, each in words.

    A confidence sequence is wider than a t interval, and is not made simultaneous here.
    """
    always = facts.stop_mode == StopMode.ANYTIME
    return {key: said for key, said in ADJUSTMENTS.items() if key != "simultaneous" or not always}


def explained(facts: CampaignFacts, adjustment: Adjustment) -> str:
    level = percent(facts.level)
    if adjustment == "simultaneous":
        return (
            f"Intervals are wider, so that with {level} confidence all pairs of a criterion hold "
            "together (Bonferroni). Told apart: 0 lies outside."
        )
    alone = f"{level} intervals for each pair by itself."
    if adjustment == "none":
        return f"{alone} Told apart: 0 lies outside. Of many equal pairs, some are by chance."
    now = " at this look" if facts.stop_mode == StopMode.ANYTIME else ""
    return f"{alone} Told apart: for all pairs of a criterion together, after Holm ({level}{now})."


def adjustment_of(facts: CampaignFacts, asked: str) -> Adjustment:
    """Return the adjustment of this name; Holm's for none, or for one that is not offered."""
    return next((key for key in offered(facts) if key == asked), USUAL)


def awaited(tables: Sequence[ContrastTable]) -> Awaited | None:
    """Return what the first differences wait for; None if any is shown or there are no pairs."""
    rows = [contrast.row for table in tables for contrast in table.contrasts]
    if not rows or any(table.shown for table in tables):
        return None
    most = max(rows, key=lambda row: row.n_items)
    needed = read.least(most.n_population)
    of = ("item judged for both systems", "items judged for both systems")
    return Awaited("Differences", of, most.n_items, needed)


def tables(facts: CampaignFacts, adjustment: Adjustment = USUAL) -> tuple[ContrastTable, ...]:
    systems = {system.system_id: system.name for system in facts.systems}
    primary = [criterion.name for criterion in facts.primary]
    compared = list(read.newest_comparisons([facts.campaign_id], primary))
    return tuple(
        table_of(criterion, mine, systems, adjustment, final=facts.is_final)
        for criterion in facts.primary
        if (mine := [row for row in compared if row.criterion == criterion.name])
    )


# Agreement as readers see it: numbers, a small plot, and words.


# Krippendorff's customary bounds for labels that are used individually; a score here is a mean.
RELIABLE, TENTATIVE = 0.8, 2 / 3
SHOWN = 5  # annotators without whom alpha changes most


@dataclass(frozen=True)
class ShownAgreement:
    """The agreement on one criterion: its row, and the common axis of the plots."""

    criterion: Criterion
    row: Agreement
    axis: Axis
    planned: int  # outputs planned for several annotators

    @property
    def is_shown(self) -> bool:
        return self.row.n_outputs >= read.least(self.planned)

    @property
    def evidence(self) -> str:
        given = "score" if self.criterion.ranks else "judgment"  # of a ranking, one for each text
        return (
            f"{many(self.row.n_judgments, given)} of {many(self.row.n_outputs, 'output')} by "
            f"{many(self.row.n_annotators, 'person', 'people')}"
        )

    @property
    def observed(self) -> float | None:
        """Return how often two judgments of an output are equal; None in rows before 0.2.0."""
        found: float | None = self.row.detail.get("observed")
        return found

    @property
    def is_skewed(self) -> bool:
        """Return whether people agree while alpha is low: nearly all scores are the same."""
        alpha = self.row.alpha
        agree = self.observed is not None and self.observed >= RELIABLE
        return agree and (alpha is None or alpha < TENTATIVE)

    @property
    def in_words(self) -> str:
        if self.observed is None or (self.row.distance == "interval" and not self.is_skewed):
            return ""
        said = (
            f"Two people gave the same output the same score in {percent(self.observed)} of cases."
        )
        if not self.is_skewed:
            return said
        by_chance = percent(self.row.detail["by_chance"])
        return (
            f"{said} Nearly all scores are the same, so random answers would agree in {by_chance}, "
            "and alpha says little here."
        )

    @property
    def state(self) -> State:
        """Return the state by the interval, if there is one: a number alone looks too certain."""
        alpha, low = self.row.alpha, self.row.low
        if self.is_skewed:
            return State("", "info", "people agree; scores hardly vary")
        if alpha is None:
            return State("", "clock", "not known")
        if self.row.high is not None and self.row.high < 0:
            return State("warn", "warning", "people disagree more than chance would")
        if low is not None and low <= 0:
            return State("warn", "warning", "not distinguishable from chance")
        if alpha >= RELIABLE:
            return State("good", "check", "people agree")
        word = "people mostly agree" if alpha >= TENTATIVE else "people often differ"
        return State("", "info", word)

    @property
    def without(self) -> list[dict[str, Any]]:
        """Return the annotators without whom alpha changes most, the largest change first.

        Each with pseudonym (annotator), alpha without them, its change, and judgments (shared).
        """
        alpha = self.row.alpha
        if alpha is None:
            return []
        told = self.row.detail.get("without", [])
        found = [
            {**one, "change": one["alpha"] - alpha} for one in told if one["alpha"] is not None
        ]
        return sorted(found, key=lambda one: (-abs(one["change"]), one["annotator"]))[:SHOWN]


def agreement_awaited(
    found: Sequence[ShownAgreement], *, planned: int, final: bool
) -> Awaited | None:
    """Return what the first alpha waits for; None if one is shown or none will follow.

    planned: outputs planned for several annotators.
    """
    if not planned or any(one.is_shown for one in found):
        return None
    n = max((one.row.n_outputs for one in found), default=0)
    of = ("output judged by several people", "outputs judged by several people")
    return Awaited("Agreement figures", of, n, read.least(planned), final)


def agreed(facts: CampaignFacts, *, planned: int) -> tuple[ShownAgreement, ...]:
    """Return the newest agreement of each criterion that has any, the primary ones first."""
    rows = {row.criterion: row for row in read.newest_agreement(facts.campaign_id)}
    ends = [row.low if row.low is not None else row.alpha for row in rows.values()]
    axis = Axis(min([-0.1, *(end for end in ends if end is not None)]), 1.0, PLOT, MARGIN)
    ordered = sorted(facts.criteria, key=lambda criterion: criterion not in facts.primary)
    return tuple(
        ShownAgreement(criterion, rows[criterion.name], axis, planned)
        for criterion in ordered
        if criterion.name in rows
    )


# Every primary estimate with and without the excluded work.


@dataclass(frozen=True)
class Sensitivity:
    """The effect of excluded work. rows: the primary estimates."""

    excluded: ExcludedCounts
    conduct: RulingStatistics
    rows: tuple[ShownCell, ...]

    @property
    def moved(self) -> tuple[ShownCell, ...]:
        return tuple(row for row in self.rows if row.moves)

    @property
    def lost(self) -> tuple[ShownCell, ...]:
        return tuple(row for row in self.rows if row.row is None)

    @property
    def summary(self) -> str:
        """Return what is excluded and its effect, in a sentence or two."""
        if not self.excluded.judgments:
            return "No work is excluded: every judgment that counts is in these estimates."
        return f"{_left_out(self.excluded)} {self._effect()}"

    @property
    def rulings(self) -> tuple[str, ...]:
        return tuple(_conduct(self.conduct))

    def _effect(self) -> str:
        if self.moved:
            names = "; ".join(row.name for row in self.moved)
            return (
                f"Leaving them out moves {len(self.moved)} of {len(self.rows)} estimates by more "
                f"than the half-width of the interval ({names}). Report both numbers, and why the "
                "work was excluded."
            )
        if self.lost:
            names = "; ".join(row.name for row in self.lost)
            return f"Nothing is left of {len(self.lost)} of {len(self.rows)} estimates ({names})."
        if all(row.shift is not None for row in self.rows):
            return "Leaving them out moves no estimate by more than the half-width of its interval."
        return "What that changes is known for the estimates below that show both numbers."


def sensitivity_of(facts: CampaignFacts) -> Sensitivity:
    """Return the effect of a campaign's exclusions, in a constant number of queries."""
    newest = list(read.newest([facts.campaign_id], facts.criterion_names))
    found = pages_criteria.criterion_rows(facts, newest, price=Decimal(0))
    primary = [cell for row in found if row.is_primary for cell in row.cells]
    excluded = effects.excluded(facts.campaign_id, since=facts.closed_at)
    return Sensitivity(excluded, effects.ruling_statistics_of(facts.campaign_id), tuple(primary))


def _left_out(excluded: ExcludedCounts) -> str:
    judgments = many(excluded.judgments, "judgment")
    verb = "is" if excluded.judgments == 1 else "are"
    people = many(excluded.annotators, "annotator")
    names = {BY_HAND: "no screen, by hand"}
    reasons = "; ".join(
        f"{names.get(one.screen, one.screen.replace('_', ' '))}: {one.annotators}"
        for one in excluded.reasons
    )
    return f"{judgments} of {people} {verb} excluded ({reasons})."


def _conduct(how: RulingStatistics) -> Iterator[str]:
    if not how.rulings:
        yield "There are no rulings yet."
        return
    rest = f"{count(how.blind)} of them blind"
    if how.not_blind:
        rest += f", {count(how.not_blind)} by people who could see results or had seen them"
    verb = "has" if how.rulings == 1 else "have"
    yield f"{many(how.rulings, 'ruling')} {verb} decided whether work counts: {rest}."
    if how.looks:
        yield (
            f"People who ruled looked at results {many(how.looks, 'time')}, counted once between "
            f"two rulings; {many(how.looked, 'ruling')} followed such a look."
        )
    if how.undone:
        yield (
            f"{many(how.undone, 'exclusion')} {'was' if how.undone == 1 else 'were'} undone: "
            f"{count(how.undone_looked)} by a reviewer who had looked at results since the "
            f"exclusion, {count(how.undone_late)} after it was final."
        )
    if how.again:
        verb = "was" if how.again == 1 else "were"
        yield f"{many(how.again, 'exclusion')} {verb} of an annotator who had been excluded before."
    if how.unopened:
        verb = "was" if how.unopened == 1 else "were"
        yield f"{many(how.unopened, 'ruling')} {verb} made without opening the annotator’s case."
    if how.own_appeals:
        verb = "was" if how.own_appeals == 1 else "were"
        yield (
            f"{many(how.own_appeals, 'appeal')} {verb} answered by the person whose ruling it was "
            "against, because there was no other reviewer."
        )


# Whether a campaign reached its targets earlier than nine of ten campaigns like it.
#
# 95 % is an average over early and late stops: the intervals of campaigns that stop so early hold
# less often, because they stop where the spread happens to look small. What is early is told by the
# plan: campaigns with usual scores, drawn as the page Plan draws them.


DRAWN = 60  # campaigns for each criterion
TOLD = (
    "Collection ended early: after {judged} judgments, where nine of ten campaigns with usual "
    "scores take more than {usual}. {level} is an average over early and late stops; intervals at "
    "stops as early as this one held in 83 to 92 of 100 simulated campaigns, at a level of 95 %."
)


def early_end_note(facts: CampaignFacts, cells: Sequence[ShownCell], *, judged: int) -> str:
    """Return what readers must know of an early end; "" where the end was not early.

    cells: the primary ones. judged: the judgments of the campaign. Only ends by the rule of widths
    are early or late: a budget does not look at the data, and a sequence holds at every look.
    """
    if facts.close_reason != CloseReason.TARGET or facts.stop_mode != StopMode.PRECISION:
        return ""
    usual = [_least(facts, name, cells) for name in facts.targets]
    # The slowest criterion decides when a campaign ends.
    most = max((one for one in usual if one is not None), default=0.0)
    if judged >= most:
        return ""
    return TOLD.format(judged=count(judged), usual=count(int(most)), level=percent(facts.level))


def _least(facts: CampaignFacts, name: str, cells: Sequence[ShownCell]) -> float | None:
    rows = [one.row for one in cells if one.criterion.name == name and one.row is not None]
    criterion = next(one for one in facts.criteria if one.name == name)
    if not rows:
        return None
    known = [one.detail.get("correlation") or 0.0 for one in rows] if facts.metrics else [0.0]
    study = planning.Study(
        typical(criterion),
        max(2, *(one.n_population for one in rows)),
        rho=round(fmean(known), 2),
        systems=len(facts.systems),
        level=facts.level,
        cap=facts.annotator_cap,
        double_share=facts.double_share,
        raters=facts.raters,
        estimand=facts.estimand,  # type: ignore[arg-type]  # a campaign has one of these
        balance=criterion.balance,
        person_share=criterion.person_share,
    )
    return _tenth(study, facts.targets[name])


@lru_cache(maxsize=256)
def _tenth(study: planning.Study, width: float) -> float | None:
    try:
        found = planning.forecast(
            study, target_width=width, prices=planning.Prices(0.0), replicates=DRAWN
        )
    except core.EstimationError:  # people alone leave more, or too few items for any interval
        return None
    return found.judgments.low


# A ranking as a reader sees it: places with ties, the state of each pair, what is missing.


FEW_PAIRS = 6  # those of four systems; more are folded


@dataclass(frozen=True)
class SystemPlace:
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
    placed: tuple[SystemPlace, ...]
    pairs: tuple[RankedPair, ...]

    @property
    def axis(self) -> Axis | None:
        return next((pair.shown.axis for pair in self.pairs if pair.shown), None)

    @property
    def open_pairs(self) -> tuple[RankedPair, ...]:
        found = [pair for pair in self.pairs if pair.is_open]
        return tuple(sorted(found, key=lambda pair: -pair.openness))

    @property
    def n_decided(self) -> int:
        return len(self.pairs) - len(self.open_pairs)

    @property
    def is_long(self) -> bool:
        return len(self.pairs) > FEW_PAIRS

    @property
    def is_together(self) -> bool:
        return any(pair.together for pair in self.pairs)

    @property
    def circles(self) -> tuple[tuple[str, ...], ...]:
        """Return the systems that are better than each other all around, such as a, b and c."""
        return core.circles({(pair.first, pair.second): pair.outcome for pair in self.pairs})

    @property
    def place_of(self) -> dict[str, str]:
        return {one.system: one.place for one in self.placed}

    @property
    def in_words(self) -> str:
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
        return {(one.criterion.name, at.system): at.place for one in self.each for at in one.placed}

    @property
    def decisions(self) -> dict[tuple[str, str], State]:
        pairs = (pair for one in self.each for pair in one.pairs if pair.together)
        return {(pair.criterion.name, pair.together): pair.state for pair in pairs}

    @property
    def settles(self) -> str:
        return f"{_of_people(self.open_pairs)}{_of_items(self.open_pairs)}".strip()


def rankings_of(facts: CampaignFacts) -> Rankings:
    newest = list(read.newest([facts.campaign_id], facts.criterion_names))
    return rankings(facts, tables(facts), newest)


def rankings(
    facts: CampaignFacts, tables: Sequence[ContrastTable], newest: Sequence[Estimate]
) -> Rankings:
    """Return the ranking on each primary criterion; none in another mode."""
    if not facts.is_ranking:
        return Rankings()
    estimates = {(row.criterion, row.system_id): row.estimate for row in newest}
    if facts.compares:
        tables = pages_criteria.from_ties(facts, newest)
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
    estimates: dict[tuple[str, int], float | None],
) -> Ranking:
    margin = facts.margins[criterion.name]
    pairs = tuple(
        RankedPair(
            first, second, criterion, margin, rows.get((criterion.name, first, second)), name
        )
        for first, second, name in pages_criteria.named(facts)
    )
    outcomes: dict[core.Pair, core.PairOutcome] = {
        (pair.first, pair.second): pair.outcome for pair in pairs
    }
    found = core.places(outcomes, higher_is_better=criterion.higher_is_better)
    placed = [
        SystemPlace(
            name,
            *found.get(name, (1, 1)),
            None if facts.compares else estimates.get((criterion.name, samples[0].system_id)),
            all(one.stop_position is not None for one in samples),
        )
        for name, samples in pages_criteria.parts(facts).items()
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
        if pair.row and pair.row.effective_annotators < core.MIN_EFFECTIVE_ANNOTATORS
    ]
    of = many(len(short), "open pair")
    if few:
        return (
            f"Ask more people: {of} rest{'s' if len(short) == 1 else ''} on the work of "
            f"{number(min(few), 1)} effective annotators, and a decision takes "
            f"{number(core.MIN_EFFECTIVE_ANNOTATORS, 0)}. "
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
        least = core.MIN_ITEMS if bounded else core.MIN_ITEMS_UNBOUNDED
        each = "pair" if others[0].together else "system"
        return f"The first pairs can be decided after {least} items of each {each}."
    furthest = max(known, key=lambda pair: pair.openness)
    named = f"The pair furthest from a decision is {furthest.name}"
    if furthest.more_items is not None:
        difference = "the preference" if furthest.together else "their difference"
        return f"{named}: about {furthest.more} decide it if {difference} stays as it is."
    n = furthest.row.n_population if furthest.row else 0
    return (
        f"{named}: all {count(n)} items may not decide it, because its "
        f"difference is near half the margin ({short(furthest.margin / 2)}), or its scores vary a "
        "lot."
    )


def decided(campaign_ids: Sequence[int]) -> dict[int, int]:
    """Return how many pairs are decided, by campaign: as differences, or judged side by side."""
    known: Any = Q(detail__outcome__in=["first", "second", "close"])
    found: Counter[int] = Counter()
    for rows in (read.newest_comparisons(campaign_ids), read.newest(campaign_ids)):
        each = rows.filter(known).order_by().values("campaign").annotate(n=Count("pk"))
        found.update(dict(each.values_list("campaign", "n")))
    return dict(found)
