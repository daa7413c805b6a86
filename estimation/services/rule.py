"""How a campaign's intervals are made and when they suffice; fixed before the first judgment."""

from dataclasses import dataclass
from math import ceil, isnan

from scipy.special import ndtri

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.counting import Brief
from annotate.states import StopMode
from estimation.core import (
    Difference,
    Estimate,
    Interval,
    Verdict,
    anytime,
    precision,
    sequence_half_widths,
)

# For planning only: the spread of item means as a share of the scale, and the width for a criterion
# without a target. A confidence sequence is valid for any values; these affect its width.
SPREAD = 0.3
WIDTH = 0.1


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

    def interval(self, result: Estimate | Difference) -> Interval | None:
        """Return the current interval; None if there is none yet."""
        if result.std_error is None:
            return None
        if self.planned_items is None:
            return result.interval(self.level)
        half = float(
            sequence_half_widths(
                result.std_error,
                result.n_items,
                alpha=1 - self.level,
                planned_items=self.planned_items,
            )
        )
        if isnan(half):
            return None
        centre, found = result.centre, result.estimate
        low, high = min(centre - half, found), max(centre + half, found)
        return Interval(low, high, self.level, float("inf"), centre)

    def verdict(self, result: Estimate) -> Verdict | None:
        """Return whether the estimate suffices; None for a criterion without a target."""
        if self.target is None:
            return None
        if self.planned_items is None:
            return precision(result, target_width=self.target, level=self.level)
        return anytime(
            result, target_width=self.target, level=self.level, planned_items=self.planned_items
        )


def rule_for(brief: Brief, criterion: Criterion, *, n_population: int) -> Rule:
    target = brief.targets.get(criterion.name)
    planned = float(brief.planned_items or n_population) if brief.is_ranking else None
    if brief.stop_mode == StopMode.ANYTIME:
        planned = planned_items(criterion, target, level=brief.level, n_population=n_population)
    return Rule(brief.level, target, planned)


def planned_items(
    criterion: Criterion, target: float | None, *, level: float, n_population: int
) -> int:
    """Return the planned number of items of an interval, from what is known before any judgment."""
    reach = criterion.high - criterion.low
    z = float(ndtri(0.5 + level / 2))
    needed = ceil((2 * z * SPREAD * reach / (target or WIDTH * reach)) ** 2)
    return min(needed, n_population)
