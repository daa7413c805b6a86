"""The findings of a recomputation: each system × criterion, and each paired difference."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from annotate.campaigns import progress
from annotate.campaigns.facts import CampaignDesign, SystemOutputs, SystemStanding
from annotate.instruments.base import Criterion
from annotate.models.base import CloseReason
from estimation import core, facts
from estimation.rule import PairDecision, PairRule, Rule, least_items, ranked, rule_for


@dataclass(frozen=True)
class Finding:
    """An estimate with the plain mean and, for primary criteria, the verdict.

    with_excluded: the same estimate including excluded work, if there is any.
    ranked: the decision about a pair whose texts are compared, in a ranking.
    answers: each score that people gave and how often, the lowest first; () without levels.
    """

    system: SystemOutputs
    criterion: Criterion
    estimate: core.Estimate
    mean: core.Estimate
    rule: Rule
    verdict: core.Verdict | None
    unfinished: int
    with_excluded: core.Estimate | None = None
    ranked: PairDecision | None = None
    answers: tuple[tuple[float, int], ...] = ()

    @property
    def interval(self) -> core.Interval | None:
        return self.rule.interval(self.estimate)

    @property
    def mean_interval(self) -> core.Interval | None:
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
    difference: core.Difference
    rule: Rule
    same: bool
    ranked: PairDecision | None = None

    @property
    def interval(self) -> core.Interval | None:
        if self.ranked is not None:
            return self.ranked.interval
        return self.rule.interval(self.difference)


def findings(design: CampaignDesign, seen: facts.Evidence) -> list[Finding]:
    unfinished = {one.system_id: unfinished_of(design, one) for one in seen.systems}
    # The estimates without exclusions show what excluded work changes.
    everybody: Iterable[facts.Cell] = ()
    if seen.everybody is not None:
        everybody = facts.cells(design, replace(seen, scores=seen.everybody))
    whole = {
        (one.system.system_id, one.criterion.name): facts.estimated(
            design, one.criterion, one.sample
        )
        for one in everybody
    }
    return [
        finding(
            design,
            cell,
            unfinished=unfinished[cell.system.system_id],
            whole=whole.get((cell.system.system_id, cell.criterion.name)),
        )
        for cell in facts.cells(design, seen)
    ]


def unfinished_of(design: CampaignDesign, system: SystemOutputs | SystemStanding) -> int:
    """Return how many items of a stopped system lack a counting judgment; 0 if it goes on."""
    if system.stop_position is None:
        return 0
    return progress.unfinished_items(system.system_id, ranks=design.ranks)


def finding(
    design: CampaignDesign,
    cell: facts.Cell,
    *,
    unfinished: int = 0,
    whole: core.Estimate | None = None,
) -> Finding:
    """Estimate one system on one criterion; no query."""
    has_metric = cell.sample.metric is not None
    main = facts.estimated(design, cell.criterion, cell.sample)
    rule = rule_for(design, cell.criterion, n_units=cell.sample.incidence.n_units)
    return Finding(
        system=cell.system,
        criterion=cell.criterion,
        estimate=main,
        mean=facts.without_metrics(design, cell.criterion, cell.sample) if has_metric else main,
        rule=rule,
        verdict=rule.verdict(main),
        unfinished=unfinished,
        with_excluded=whole,
        ranked=rule.ranked(main) if isinstance(rule, PairRule) else None,
        answers=_answers(cell),
    )


def _answers(cell: facts.Cell) -> tuple[tuple[float, int], ...]:
    if not (cell.criterion.levels or cell.criterion.is_yes_no):
        return ()
    scores, n = np.unique(cell.sample.score, return_counts=True)
    return tuple(zip(scores.tolist(), n.tolist(), strict=True))


def contrasts(design: CampaignDesign, seen: facts.Evidence) -> list[Contrast]:
    """Compare every pair of systems on every primary criterion on which both were judged.

    Where texts are compared there is nothing more to compare: a system is a pair already.
    """
    if design.compares:
        return []
    found = []
    for pair in facts.pairs(design, seen):
        one, other = pair.samples
        try:
            result = facts.compared(design, pair.criterion, one, other)
        except core.TooFewJudgmentsError:  # no item was judged for both yet
            continue
        rule = rule_for(design, pair.criterion, n_units=result.n_units_population)
        found.append(
            Contrast(pair.first, pair.second, pair.criterion, result, rule, same=pair.same)
        )
    return found


# The ranking rule's decisions about pairs of systems, and what open pairs need.
#
# All pairs on all primary criteria are decided together, with or without an interval: alpha is
# divided by their number.


NOTHING = core.PairState(0.0, None, 0)


def judged(
    design: CampaignDesign, systems: Iterable[SystemStanding], found: list[Contrast]
) -> list[Contrast]:
    """Return the contrasts of a ranking with the decision about each; others unchanged.

    Where texts are compared there are none: the estimate of a pair decides it (`rule.PairRule`).
    """
    if not design.is_ranking or design.compares:
        return found
    pairs = list(combinations([system.name for system in systems], 2))
    return [
        contrast
        for criterion in design.primary
        for contrast in _on(
            design, criterion, pairs, [one for one in found if one.criterion == criterion]
        )
    ]


def _on(
    design: CampaignDesign, criterion: Criterion, pairs: list[core.Pair], found: list[Contrast]
) -> list[Contrast]:
    states = dict.fromkeys(pairs, NOTHING) | {_pair(one): _state(one) for one in found}
    alpha = (1 - design.level) / len(design.primary)
    verdict = core.ranking(
        states,
        margin=design.margins[criterion.name],
        level=1 - alpha,
        planned_items=design.planned_items or 1,
        min_items=least_items(criterion),
    )
    return [
        replace(
            one,
            ranked=ranked(
                one.difference,
                states[_pair(one)],
                verdict.pairs[_pair(one)],
                _interval(design, one, verdict.pairs[_pair(one)]),
                margin=design.margins[criterion.name],
                level=design.level,
                pairs=len(pairs) * len(design.primary),
                planned_items=design.planned_items or 1,
                least=least_items(criterion),
            ),
        )
        for one in found
    ]


def _pair(one: Contrast) -> core.Pair:
    return one.first.name, one.second.name


def _state(one: Contrast) -> core.PairState:
    """Return what is known of the pair.

    A standard error of 0 means that only shared outputs were judged. It is used only if all outputs
    of the two systems are the same.
    """
    state = core.PairState.of(one.difference)
    return replace(state, std_error=None) if state.std_error == 0 and not one.same else state


def _interval(
    design: CampaignDesign, one: Contrast, said: core.PairVerdict
) -> core.Interval | None:
    if said.low is None or said.high is None:
        return None
    return core.Interval(said.low, said.high, design.level, float("inf"), one.difference.centre)


# What a stopping rule says of each system's sample: enough is known, or not.


@dataclass(frozen=True)
class RuleSentences:
    """The sentences of a stopping rule's acts. {name}, {names}: of systems."""

    reason: CloseReason
    stop: str
    resume: str
    after_drain: str
    drained_reason: str


WIDTHS = RuleSentences(
    CloseReason.TARGET,
    stop="{name} reached its target width on every primary criterion.",
    resume="With its last items finished, {name} is wider than its target again.",
    after_drain="With all items finished, the target is missed again for {names}.",
    drained_reason="wider_after_drain",
)
PAIRS = RuleSentences(
    CloseReason.RANKED,
    stop="Every pair with {name} is decided: it leaves the ranking.",
    resume="With its last items finished, a pair with {name} is open again.",
    after_drain="With all items finished, pairs are open again between {names}.",
    drained_reason="open_after_drain",
)
# Where texts are compared, each system is such a pair.
COMPARED = RuleSentences(
    CloseReason.RANKED,
    stop="{name} is decided on every primary criterion: it leaves the ranking.",
    resume="With its last items finished, {name} is open again.",
    after_drain="With all items finished, these pairs are open again: {names}.",
    drained_reason="open_after_drain",
)


def sentences_of(design: CampaignDesign) -> RuleSentences:
    if not design.is_ranking:
        return WIDTHS
    return COMPARED if design.compares else PAIRS


def is_enough(
    design: CampaignDesign,
    system: SystemStanding,
    systems: Collection[SystemStanding],
    found: list[Finding],
    compared: list[Contrast],
) -> bool:
    """Return whether a system's sample may end by these findings; no query.

    What lies off the scale is wrong, and ends nothing. Systems whose texts are ranked end together.
    """
    of = systems if design.ranks else [system]
    because = [index for one in of for index in primary(design, one, found)]
    if any(found[index].estimate.off_scale for index in because):
        return False
    if design.is_ranking and not design.compares:
        ranked = [compared[index].ranked for index in pairs_of(system, compared)]
        all_pairs = (len(systems) - 1) * len(design.primary)
        return len(ranked) == all_pairs and all(one and one.is_decided for one in ranked)
    needed = len(of) * len(design.primary)
    return len(because) == needed and all(found[index].is_enough for index in because)


def primary(design: CampaignDesign, system: SystemStanding, found: list[Finding]) -> list[int]:
    """Return the indices of the system's findings on primary criteria."""
    names = {criterion.name for criterion in design.primary}
    return [
        index
        for index, one in enumerate(found)
        if one.system.system_id == system.system_id and one.criterion.name in names
    ]


def pairs_of(system: SystemStanding, compared: list[Contrast]) -> list[int]:
    """Return the indices of the system's contrasts."""
    return [
        index
        for index, one in enumerate(compared)
        if system.system_id in (one.first.system_id, one.second.system_id)
    ]
