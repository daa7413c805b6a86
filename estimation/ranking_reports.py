"""The places of systems from plain files, by the rule of a ranking campaign."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil
from typing import Any

from annotate.text.figures import many, short, signed
from estimation import samples_from_files
from estimation.core import (
    ITEMS_FACTOR,
    MIN_ITEMS,
    MIN_ITEMS_UNBOUNDED,
    Difference,
    Pair,
    PairState,
    PairVerdict,
    RankingVerdict,
    TooFewJudgmentsError,
    places,
    ranking,
)
from estimation.files import FileError, Table
from estimation.interval_choice import Asked
from estimation.reports import compare
from estimation.samples_from_files import FilePair, Selection

NOTHING = PairState(0.0, None, 0)
SAID = {
    "first": "{first} is higher",
    "second": "{second} is higher",
    "close": "closer than the margin",
    "open": "open",
}


@dataclass(frozen=True)
class RankingRule:
    """The rule, fixed before the first judgment. planned_items: None for a share of the items."""

    margin: float
    planned_items: int | None


@dataclass(frozen=True)
class RankedSystems:
    """All systems on one criterion. differences: None where a pair has no item in common."""

    criterion: str
    rule: RankingRule
    planned_items: int
    level: float
    differences: Mapping[Pair, Difference | None]
    verdict: RankingVerdict

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """Place 1 has the highest score: a file does not say whether that is the best."""
        return places({pair: one.outcome for pair, one in self.verdict.pairs.items()})

    def as_data(self) -> dict[str, Any]:
        """Return the ranking as JSON values."""
        return {
            "criterion": self.criterion,
            "ranking": [
                {"system": name, "best": best, "worst": worst}
                for name, (best, worst) in self.places.items()
            ],
            "pairs": [self._pair(pair, one) for pair, one in self.verdict.pairs.items()],
            "margin": self.rule.margin,
            "planned_items": self.planned_items,
            "level": self.level,
            "stop": self.verdict.stop,
        }

    def _pair(self, pair: Pair, said: PairVerdict) -> dict[str, Any]:
        found = self.differences[pair]
        return {
            "first": pair[0],
            "second": pair[1],
            "outcome": said.outcome,
            "difference": found.estimate if found else None,
            "low": said.low,
            "high": said.high,
            "n_items": found.n_items if found else 0,
            "effective_annotators": found.effective_annotators if found else None,
        }

    def in_words(self) -> str:
        """Return the places, then each pair on a line."""
        ordered = sorted(self.places.items(), key=lambda one: one[1])
        told = ", ".join(
            f"{best if best == worst else f'{best}–{worst}'} {name}"
            for name, (best, worst) in ordered
        )
        head = f"Ranking by {self.criterion}, margin {short(self.rule.margin)}, highest first: "
        lines = ["", f"{head}{told}."]
        for pair, one in self.verdict.pairs.items():
            lines.append(f"  {pair[0]} - {pair[1]}: {self._said(pair, one)}")
        return "\n".join([*lines, f"  {self.verdict.reason}"])

    def _said(self, pair: Pair, said: PairVerdict) -> str:
        found = self.differences[pair]
        outcome = SAID[said.outcome].format(first=pair[0], second=pair[1])
        if found is None or said.low is None:
            return outcome
        return (
            f"{signed(found.estimate, 3)} [{signed(said.low, 3)}, {signed(said.high, 3)}], "
            f"{many(found.n_items, 'item')}: {outcome}"
        )


def ranked_systems(
    judgments: Table,
    metrics: Table | None,
    wanted: Selection,
    asked: Asked,
    rule: RankingRule,
) -> list[RankedSystems]:
    """Rank the wanted systems on every wanted criterion; raises a `FileError` for fewer than two.

    The interval is the ranking rule's own, whatever `asked` names.
    """
    named = wanted.systems or tuple(samples_from_files.judged_systems(judgments))
    if len(set(named)) < 2:
        raise FileError(judgments.path, 0, "A ranking takes at least two systems.")
    pairs = list(combinations(dict.fromkeys(named), 2))
    by_criterion: dict[str, dict[Pair, FilePair]] = {}
    for pair in pairs:
        for found in samples_from_files.pairs(judgments, metrics, wanted, pair):
            by_criterion.setdefault(found.criterion, {})[pair] = found
    return [
        _ranked(criterion, found, replace(asked, interval="two_way"), rule)
        for criterion, found in by_criterion.items()
    ]


def _ranked(
    criterion: str, found: Mapping[Pair, FilePair], asked: Asked, rule: RankingRule
) -> RankedSystems:
    differences = {pair: _difference(one, asked) for pair, one in found.items()}
    samples = [one.first for one in found.values()]
    planned = rule.planned_items or ceil(max(s.n_population for s in samples) / ITEMS_FACTOR)
    verdict = ranking(
        {pair: _state(one, found[pair]) for pair, one in differences.items()},
        margin=rule.margin,
        level=asked.level,
        planned_items=planned,
        min_items=MIN_ITEMS if samples[0].scale.bounded else MIN_ITEMS_UNBOUNDED,
    )
    return RankedSystems(criterion, rule, planned, asked.level, differences, verdict)


def _difference(pair: FilePair, asked: Asked) -> Difference | None:
    try:
        found = compare(pair, asked).found
    except TooFewJudgmentsError:
        return None
    assert isinstance(found, Difference)
    return found


def _state(found: Difference | None, pair: FilePair) -> PairState:
    """What two systems have been judged alike on is not all that they wrote, unless all of it is
    judged."""
    if found is None:
        return NOTHING
    state = PairState.of(found)
    whole = pair.items_known and found.n_items == found.n_population
    alike = state.std_error == 0 and not whole
    return replace(state, std_error=None) if alike else state
