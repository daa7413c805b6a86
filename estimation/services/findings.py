"""The findings of a recomputation: each system × criterion, and each paired difference."""

from collections.abc import Collection
from dataclasses import dataclass

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns import slots
from annotate.selectors.campaigns.counting import Brief, SystemOutputs
from estimation import data, protocols
from estimation.core import (
    Difference,
    Estimate,
    Interval,
    TooFewJudgmentsError,
    Verdict,
)
from estimation.services.rule import PairRule, Ranked, Rule, rule_for


@dataclass(frozen=True)
class Finding:
    """An estimate with the plain mean and, for primary criteria, the verdict.

    with_excluded: the same estimate including excluded work, if there is any.
    ranked: the decision about a pair whose texts are compared, in a ranking.
    """

    system: SystemOutputs
    criterion: Criterion
    estimate: Estimate
    mean: Estimate
    rule: Rule
    verdict: Verdict | None
    unfinished: int
    with_excluded: Estimate | None = None
    ranked: Ranked | None = None

    @property
    def interval(self) -> Interval | None:
        return self.rule.interval(self.estimate)

    @property
    def mean_interval(self) -> Interval | None:
        return self.rule.interval(self.mean)

    @property
    def at_target(self) -> bool:
        return self.verdict is not None and self.verdict.stop

    @property
    def is_enough(self) -> bool:
        """Return whether the stopping rule asks for no more of this system on this criterion."""
        return self.at_target if self.ranked is None else self.ranked.is_decided


@dataclass(frozen=True)
class Contrast:
    """The difference of the first system minus the second on one criterion.

    same: whether both wrote the same text for every item.
    ranked: the decision about the pair, in a ranking.
    """

    first: SystemOutputs
    second: SystemOutputs
    criterion: Criterion
    difference: Difference
    rule: Rule
    same: bool
    ranked: Ranked | None = None

    @property
    def system_ids(self) -> set[int]:
        return {self.first.system_id, self.second.system_id}

    @property
    def interval(self) -> Interval | None:
        if self.ranked is not None:
            return self.ranked.interval
        return self.rule.interval(self.difference)


def findings(brief: Brief, systems: list[SystemOutputs], seen: data.Seen) -> list[Finding]:
    """Estimate these systems on every criterion, from all judgments that count."""
    unfinished = {system.system_id: unfinished_of(system) for system in systems}
    whole = _with_excluded(brief, systems, seen)
    return [
        finding(
            brief, cell, unfinished=unfinished[cell.system.system_id], whole=whole.get(_key(cell))
        )
        for cell in data.cells(brief, systems, seen)
    ]


def unfinished_of(system: SystemOutputs) -> int:
    """Return how many items of a stopped system lack a counting judgment; 0 if it goes on."""
    return 0 if system.stop_position is None else slots.unfinished_items(system.system_id)


def _with_excluded(
    brief: Brief, systems: list[SystemOutputs], seen: data.Seen
) -> dict[tuple[int, str], Estimate]:
    """Return the estimates without exclusions, which show what excluded work changes."""
    if (everybody := seen.with_everybody) is None:
        return {}
    return {_key(cell): _estimated(brief, cell) for cell in data.cells(brief, systems, everybody)}


def _key(cell: data.Cell) -> tuple[int, str]:
    return cell.system.system_id, cell.criterion.name


def _estimated(brief: Brief, cell: data.Cell) -> Estimate:
    return protocols.estimated(brief, cell.criterion, cell.sample)


def finding(
    brief: Brief, cell: data.Cell, *, unfinished: int = 0, whole: Estimate | None = None
) -> Finding:
    """Estimate one system on one criterion; no query."""
    has_metric = cell.sample.metric is not None
    main = _estimated(brief, cell)
    rule = rule_for(brief, cell.criterion, n_units=cell.sample.incidence.n_units)
    return Finding(
        system=cell.system,
        criterion=cell.criterion,
        estimate=main,
        mean=protocols.without_metrics(brief, cell.criterion, cell.sample) if has_metric else main,
        rule=rule,
        verdict=rule.verdict(main),
        unfinished=unfinished,
        with_excluded=whole,
        ranked=rule.ranked(main) if isinstance(rule, PairRule) else None,
    )


def contrasts(
    brief: Brief,
    systems: list[SystemOutputs],
    seen: data.Seen,
    *,
    of: Collection[int] | None = None,
) -> list[Contrast]:
    """Compare every pair of systems on every primary criterion on which both were judged.

    of: ids of systems; only pairs with one of them. Where texts are compared there is nothing
    more to compare: a system is a pair already.
    """
    if brief.compares:
        return []
    found = []
    for pair in data.pairs(brief, systems, seen, of=of):
        one, other = pair.samples
        try:
            result = protocols.compared(brief, pair.criterion, one, other)
        except TooFewJudgmentsError:  # no item was judged for both yet
            continue
        rule = rule_for(brief, pair.criterion, n_units=result.n_units_population)
        found.append(
            Contrast(pair.first, pair.second, pair.criterion, result, rule, same=pair.same)
        )
    return found
