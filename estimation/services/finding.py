"""What one recomputation found about one system × criterion."""

from dataclasses import dataclass

from annotate.instruments.base import Criterion
from annotate.selectors.evidence import SystemOutputs
from estimation.core import Estimate, Interval, Verdict


@dataclass(frozen=True)
class Finding:
    """An estimate with the plain mean beside it and, for primary criteria, the verdict."""

    system: SystemOutputs
    criterion: Criterion
    estimate: Estimate
    mean: Estimate
    level: float
    verdict: Verdict | None
    unfinished: int

    @property
    def interval(self) -> Interval | None:
        return _interval(self.estimate, self.level)

    @property
    def mean_interval(self) -> Interval | None:
        return _interval(self.mean, self.level)

    @property
    def at_target(self) -> bool:
        return self.verdict is not None and self.verdict.stop


def _interval(estimate: Estimate, level: float) -> Interval | None:
    return estimate.interval(level) if estimate.has_interval else None
