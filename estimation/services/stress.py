"""What each primary estimate would be without flagged people, and without those who pull it most.

The refresh that decides only notes that it is due: every estimate is computed several times here.

A row of a stress test is one system × primary criterion:

- system, criterion; estimate, low, high, n_judgments: as reported; people: how many gave them.
- flagged: the people and judgments that flags would take away.
- without_flagged: the estimate without them; None if nothing is left. Equal to the reported one if
  there are none.
- removals: as `estimation.core.worst_removals` finds them, with `low_anew` and `high_anew`: the
  estimate computed anew without the people of that end; None if too few judgments are left. Who
  they are is not kept: a pull on an estimate accuses nobody.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Brief, Scores
from annotate.selectors.review import ruling_statistics
from annotate.services.change_marks import ORDINARY
from estimation import data, protocols
from estimation.core import Removal, Sample, TooFewJudgmentsError, worst_removals
from estimation.models import StressDue, StressTest
from estimation.services.agreement import COLLECTING, GROWTH
from estimation.services.deferred import DeferredWork, Store
from estimation.services.rule import rule_for
from estimation.signals import stress_due

TESTING = DeferredWork("stress", StressDue, stress_due)

Row = dict[str, Any]


@dataclass(frozen=True)
class _Tested:
    """One estimate, and the same cell without the flagged people, if anything is left of it."""

    brief: Brief
    cell: data.Cell
    unflagged: data.Cell | None

    def row(self) -> Row:
        sample = self.cell.sample
        left = self.unflagged.sample if self.unflagged else None
        return {
            "system": self.cell.system.system_id,
            "criterion": self.cell.criterion.name,
            **self._numbers(sample),
            "people": int(sample.incidence.activity.size),
            "flagged": {
                "people": _people(sample) - (_people(left) if left else 0),
                "judgments": sample.n_judgments - (left.n_judgments if left else 0),
            },
            "without_flagged": self._numbers(left) if left else None,
            "removals": [self._removal(one) for one in self._worst()],
        }

    def _numbers(self, sample: Sample) -> Row:
        made = protocols.estimated(self.brief, self.cell.criterion, sample)
        rule = rule_for(self.brief, self.cell.criterion, n_units=sample.incidence.n_units)
        interval = rule.interval(made)
        return {
            "estimate": made.estimate,
            "low": interval.low if interval else None,
            "high": interval.high if interval else None,
            "n_judgments": sample.n_judgments,
        }

    def _worst(self) -> tuple[Removal, ...]:
        made = protocols.estimated(self.brief, self.cell.criterion, self.cell.sample)
        return worst_removals(self.cell.sample, made)

    def _removal(self, one: Removal) -> Row:
        return {
            "share": one.share,
            "people": one.people,
            "low": one.low,
            "high": one.high,
            "low_anew": self._anew(one.low_without),
            "high_anew": self._anew(one.high_without),
        }

    def _anew(self, people: Collection[int]) -> float | None:
        left = _without(self.cell.sample, people)
        if left is None:
            return None
        return protocols.estimated(self.brief, self.cell.criterion, left).estimate


def is_due(brief: Brief, scores: Scores, *, reasons: Collection[str]) -> bool:
    """Return whether the stress test is to be made again after these changes.

    While judgments come in, after 5 % more of them; at once when rulings or flags change what
    counts, and from closing on.
    """
    if not brief.primary:
        return False
    tests = StressTest.objects.filter(campaign=brief.campaign_id).order_by("-pk")
    before = tests.values_list("judgments", flat=True).first()
    if before is None or brief.status not in COLLECTING or not ORDINARY.issuperset(reasons):
        return True
    return scores.judgment.size >= GROWTH * before


def ask(campaign_id: int) -> None:
    """Have a separate task make it after the transaction that found it due."""
    TESTING.ask(campaign_id)


def measure(campaign_id: int) -> bool:
    """Make the stress test that is due; False if none is, or another task is making it."""

    def make() -> Store:
        test = _made(counting.brief(campaign_id))

        def store() -> None:
            StressTest.objects.filter(campaign=campaign_id).delete()
            test.save(force_insert=True)

        return store

    return TESTING.carry_out(campaign_id, make)


def catch_up() -> int:
    """Make those that have been due for a while, the longest first; return for how many."""
    return TESTING.catch_up(measure, doing="testing the estimates of")


def _made(brief: Brief) -> StressTest:
    brief = replace(brief, criteria=brief.primary)
    seen, flagged = data.see(brief), ruling_statistics.flagged(brief.campaign_id)
    without = data.see_without(seen, flagged)
    left = {_key(cell): cell for cell in data.cells(brief, seen.systems, without)}
    cells = data.cells(brief, seen.systems, seen)
    return StressTest(
        campaign_id=brief.campaign_id,
        judgments=seen.scores.judgment.size,
        excluded=counting.excluded(brief.campaign_id),
        flagged=len(flagged),
        rows=[_Tested(brief, cell, left.get(_key(cell))).row() for cell in cells],
    )


def _key(cell: data.Cell) -> tuple[int, str]:
    return cell.system.system_id, cell.criterion.name


def _people(sample: Sample) -> int:
    return int(sample.incidence.activity.size)


def _without(sample: Sample, people: Collection[int]) -> Sample | None:
    """Return the sample without these annotators; None if too few judgments are left."""
    kept = ~np.isin(sample.annotator, list(people))
    arrays = (sample.score[kept], sample.item[kept], sample.annotator[kept])
    try:
        return Sample(*arrays, sample.n_population, sample.scale, sample.metric, sample.group)
    except TooFewJudgmentsError:
        return None
