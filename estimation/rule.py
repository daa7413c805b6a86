"""How a campaign's intervals are made and when they suffice; fixed before the first judgment."""

from dataclasses import dataclass, replace
from math import ceil, isnan

from scipy.special import ndtri

from annotate.campaigns.facts import CampaignDesign
from annotate.instruments.base import Criterion
from annotate.models.base import StopMode
from estimation import core

# For planning only: the spread of item means as a share of the scale, and the width for a criterion
# without a target. A confidence sequence is valid for any values; these affect its width.
SPREAD = 0.3
WIDTH = 0.1

PEOPLE, ITEMS, NEITHER = "people", "items", "neither"  # what would settle an open pair
ALONE: core.Pair = ("first", "second")  # a pair that is decided by itself


@dataclass(frozen=True)
class PairDecision:
    """The ranking rule's decision about a pair.

    interval: at the level that all pairs share; None if there is none.
    pairs: the number by which alpha is divided.
    needs: what would settle an open pair: "items", "people" or "neither"; "" for a decided pair.
    items: about how many items in all would settle it, if items would.
    """

    outcome: core.PairOutcome
    interval: core.Interval | None
    margin: float
    pairs: int
    needs: str = ""
    items: int | None = None

    @property
    def is_decided(self) -> bool:
        return self.outcome != "open"


@dataclass(frozen=True)
class Rule:
    """The rule. `planned_items` is None for intervals with a fixed number of items.

    A ranking has no target, and so no verdict on a single system.
    """

    level: float
    target: float | None
    planned_items: float | None

    @property
    def name(self) -> str:
        return "two_way" if self.planned_items is None else "sequence"

    def interval(self, result: core.Estimate | core.Difference) -> core.Interval | None:
        if result.std_error is None:
            return None
        if self.planned_items is None:
            return result.interval(self.level)
        half = float(
            core.sequence_half_widths(
                result.std_error,
                result.n_units,
                alpha=1 - self.level,
                planned_items=self.planned_items,
            )
        )
        if isnan(half):
            return None
        return self._around(result, result.centre - half, result.centre + half)

    def _around(
        self, result: core.Estimate | core.Difference, low: float, high: float
    ) -> core.Interval:
        """Return a sequence's interval; it contains the estimate, wherever its centre lies."""
        low, high = min(low, result.estimate), max(high, result.estimate)
        return core.Interval(low, high, self.level, float("inf"), result.centre)

    def verdict(self, result: core.Estimate) -> core.Verdict | None:
        if self.target is None:
            return None
        if self.planned_items is None:
            return core.precision(result, target_width=self.target, level=self.level)
        return core.anytime(
            result, target_width=self.target, level=self.level, planned_items=self.planned_items
        )


@dataclass(frozen=True)
class PairRule(Rule):
    """The rule of a ranking about a pair whose texts are judged side by side.

    tie: the score of two texts that are equally good. margin: the largest distance from it that
    does not matter. pairs: the number by which alpha is divided. least: items of a decision.
    """

    tie: float
    margin: float
    pairs: int
    least: int

    def interval(self, result: core.Estimate | core.Difference) -> core.Interval | None:
        said = self.decided(result)
        if said.low is None or said.high is None:
            return None
        return self._around(result, said.low + self.tie, said.high + self.tie)

    def decided(self, result: core.Estimate | core.Difference) -> core.PairVerdict:
        """Return what is decided about the pair, with the interval less the tie."""
        verdict = core.ranking(
            {ALONE: self._state(result)},
            margin=self.margin,
            level=1 - (1 - self.level) / self.pairs,
            planned_items=self.planned_items or 1,
            min_items=self.least,
        )
        return verdict.pairs[ALONE]

    def ranked(self, result: core.Estimate) -> PairDecision:
        return ranked(
            result,
            self._state(result),
            self.decided(result),
            self.interval(result),
            margin=self.margin,
            level=self.level,
            pairs=self.pairs,
            planned_items=self.planned_items or 1,
            least=self.least,
        )

    def _state(self, result: core.Estimate | core.Difference) -> core.PairState:
        state = core.PairState.of(result)
        return replace(state, estimate=state.estimate - self.tie)


def ranked(
    result: core.Estimate | core.Difference,
    state: core.PairState,
    said: core.PairVerdict,
    interval: core.Interval | None,
    *,
    margin: float,
    level: float,
    pairs: int,
    planned_items: float,
    least: int,
) -> PairDecision:
    """Return the decision about a pair of a ranking, and what would settle an open one.

    The answer is people if there are too few, or if they differ too much for any number of items.
    """
    found = PairDecision(said.outcome, interval, margin, pairs)
    if found.is_decided:
        return found
    if state.std_error is None or state.n_items < least:
        # Too little is known of people to say that they are what is missing.
        return replace(found, needs=ITEMS)
    if state.effective_annotators < core.MIN_EFFECTIVE_ANNOTATORS:
        return replace(found, needs=PEOPLE)
    by_people = 0.0
    if result.method.estimand == "population":
        by_people = max(0.0, result.variance.annotator or 0.0)
    same, more = (
        core.items_to_decide(
            state,
            margin=margin,
            alpha=(1 - level) / pairs,
            planned_items=planned_items,
            most=result.n_units_population,
            person_variance=variance,
        )
        for variance in (by_people, 0.0)
    )
    if same is not None:
        items = round(same * result.n_items / max(1, result.n_units))
        return replace(found, needs=ITEMS, items=items)
    return replace(found, needs=PEOPLE if more is not None else NEITHER)


def least_items(criterion: Criterion) -> int:
    return core.MIN_ITEMS if criterion.bounded else core.MIN_ITEMS_UNBOUNDED


def rule_for(design: CampaignDesign, criterion: Criterion, *, n_units: int) -> Rule:
    """Return the rule. n_units: how many items the system has, or groups of items."""
    target = design.targets.get(criterion.name)
    planned = float(design.planned_items or n_units) if design.is_ranking else None
    if design.compares and criterion.name in design.margins:
        return PairRule(
            design.level,
            target,
            planned,
            tie=criterion.tie,
            margin=design.margins[criterion.name],
            pairs=design.n_pairs * len(design.primary),
            least=least_items(criterion),
        )
    if design.stop_mode == StopMode.ANYTIME:
        planned = planned_items(criterion, target, level=design.level, n_units=n_units)
    return Rule(design.level, target, planned)


def planned_items(criterion: Criterion, target: float | None, *, level: float, n_units: int) -> int:
    """Return the planned number of items of an interval, from what is known before any judgment."""
    reach = criterion.high - criterion.low
    z = float(ndtri(0.5 + level / 2))
    needed = ceil((2 * z * SPREAD * reach / (target or WIDTH * reach)) ** 2)
    return min(needed, n_units)
