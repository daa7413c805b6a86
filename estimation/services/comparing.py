"""Paired differences of systems over the items that both have finished; kept, never changed."""

from dataclasses import dataclass

from annotate.instruments.base import Criterion
from annotate.selectors.evidence import Brief, SystemOutputs
from estimation import data
from estimation.core import Difference, Interval, difference
from estimation.core.errors import TooFewJudgmentsError
from estimation.models import Comparison
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


def store(brief: Brief, found: list[Contrast], *, final: bool) -> None:
    """Add one row per comparison."""
    Comparison.objects.bulk_create(_row(brief, contrast, final=final) for contrast in found)


def _row(brief: Brief, contrast: Contrast, *, final: bool) -> Comparison:
    result, interval = contrast.difference, contrast.interval
    return Comparison(
        campaign_id=brief.campaign_id,
        first_id=contrast.first.system_id,
        second_id=contrast.second.system_id,
        criterion=contrast.criterion.name,
        provisional=not final,
        estimator=result.method.estimator,
        interval=contrast.rule.name,
        estimand=result.method.estimand,
        metrics=list(brief.metrics),
        level=brief.level,
        difference=result.estimate,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        width=interval.width if interval else None,
        df=result.df,
        std_error=result.std_error,
        n_items=result.n_items,
        n_population=result.n_population,
        n_judgments=sum(result.n_judgments),
        n_annotators=result.n_annotators,
        effective_annotators=result.effective_annotators,
        detail={
            "notices": [{"code": notice.code, "text": notice.text} for notice in result.notices]
        },
    )
