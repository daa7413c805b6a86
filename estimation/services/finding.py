"""What one recomputation found about one system × criterion."""

from dataclasses import dataclass

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.counting import SystemOutputs
from estimation.core import Estimate, Interval, Verdict
from estimation.services.rule import Rule


@dataclass(frozen=True)
class Finding:
    """An estimate with the plain mean beside it and, for primary criteria, the verdict.

    with_excluded: the same estimate with the work in it that rulings left out, if there is any.
    """

    system: SystemOutputs
    criterion: Criterion
    estimate: Estimate
    mean: Estimate
    rule: Rule
    verdict: Verdict | None
    unfinished: int
    with_excluded: Estimate | None = None

    @property
    def interval(self) -> Interval | None:
        return self.rule.interval(self.estimate)

    @property
    def mean_interval(self) -> Interval | None:
        return self.rule.interval(self.mean)

    @property
    def at_target(self) -> bool:
        return self.verdict is not None and self.verdict.stop
