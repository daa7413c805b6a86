"""Paired differences of systems over the items that both have finished."""

from dataclasses import dataclass

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.counting import Brief, SystemOutputs
from estimation import data
from estimation.core import Difference, Interval, difference
from estimation.core.data.errors import TooFewJudgmentsError
from estimation.services.rule import Rule, rule_for


@dataclass(frozen=True)
class Contrast:
    """By how much the first system exceeds the second on one criterion."""

    first: SystemOutputs
    second: SystemOutputs
    criterion: Criterion
    difference: Difference
    rule: Rule

    @property
    def interval(self) -> Interval | None:
        return self.rule.interval(self.difference)


def contrasts(brief: Brief, systems: list[SystemOutputs], seen: data.Seen) -> list[Contrast]:
    """Compare every pair of systems on every primary criterion that both were judged on."""
    found = []
    for pair in data.pairs(brief, systems, seen):
        one, other = pair.samples
        try:
            result = difference(
                one, other, estimator=data.estimator_for(one), estimand=brief.estimand
            )
        except TooFewJudgmentsError:  # they have no judged item in common yet
            continue
        rule = rule_for(brief, pair.criterion, n_population=result.n_population)
        found.append(Contrast(pair.first, pair.second, pair.criterion, result, rule))
    return found
