"""An estimate with all that the command line tells about it, as plain data."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, TypeVar

from estimation.core import (
    Estimate,
    Interval,
    Sample,
    confidence_sequence,
    crossed,
    data_efficiency,
    data_efficiency_cap,
    estimate,
    human_metric_correlation,
    normalised_annotator_variance,
    one_way,
    variance_of_item_means,
)
from estimation.core.errors import IntervalUnavailableError, ReplicatesNeededError
from estimation.core.fit import Estimator
from estimation.core.interval import check_level
from estimation.core.parts import Estimand, IntervalMethod
from estimation.core.sequence import ITEMS_FACTOR
from estimation.plain import Cell

T = TypeVar("T")
# What the command line calls the estimators, and what the library does.
ESTIMATOR_NAMES: dict[str, Estimator] = {
    "mean": "mean",
    "algorithm1": "algorithm_1",
    "regression": "regression",
}
NEED_METRIC = ("algorithm1", "regression")
# The standard error that an interval is made from.
INTERVAL_NAMES: dict[str, IntervalMethod] = {
    "two_way": "two_way",
    "iid": "iid",
    "sequence": "two_way",
}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How to estimate: names of the command line."""

    estimator: str
    interval: str = "two_way"
    estimand: Estimand = "population"
    level: float = 0.95
    finite_population: bool = True


@dataclass(frozen=True)
class Components:
    """Variance components of a sample, in squared score units; None where undefined.

    item, annotator, residual: crossed moments, cut at 0. one_way_item, one_way_annotator: the
    one-way analysis of variance, sigma_f² and sigma_a² (MSW). item_means: the variance of item
    means, which still contains noise.
    """

    item: float | None
    annotator: float | None
    residual: float | None
    one_way_item: float | None
    one_way_annotator: float | None
    item_means: float | None


@dataclass(frozen=True)
class Report:
    """One system on one criterion: its estimate, the interval if there is one, and the rest.

    rho: the metric's correlation with the human metric; gamma: normalised annotator variance.
    """

    cell: Cell
    asked: Asked
    found: Estimate
    ends: Interval | None
    components: Components
    rho: float | None
    gamma: float | None
    notices: tuple[str, ...]

    @property
    def data_efficiency(self) -> float | None:
        """Equation (7); None where unknown or infinite."""
        if self.rho is None or self.gamma is None:
            return None
        return _finite(data_efficiency(rho=self.rho, gamma=self.gamma))

    @property
    def cap(self) -> float | None:
        """The data efficiency of a perfect metric; None where unknown or infinite."""
        return None if self.gamma is None else _finite(data_efficiency_cap(gamma=self.gamma))

    def as_data(self) -> dict[str, Any]:
        """Return the report as JSON values; whatever is not known is None."""
        found, ends = self.found, self.ends
        return {
            "system": self.cell.system,
            "criterion": self.cell.criterion,
            "estimator": self.asked.estimator,
            "estimate": found.estimate,
            "std_error": found.std_error,
            "low": ends.low if ends else None,
            "high": ends.high if ends else None,
            "level": self.asked.level,
            "df": _finite(ends.df) if ends else None,
            "estimand": self.asked.estimand,
            "n_items": found.n_items,
            "n_population": found.n_population,
            "n_judgments": found.n_judgments,
            "n_annotators": found.n_annotators,
            "effective_annotators": found.effective_annotators,
            "variance": asdict(self.components),
            "rho": self.rho,
            "gamma": self.gamma,
            "data_efficiency": self.data_efficiency,
            "data_efficiency_cap": self.cap,
            "notices": list(self.notices),
        }


def report(cell: Cell, asked: Asked) -> Report:
    """Estimate one cell; raises an `EstimationError` for options that cannot be met."""
    found = estimate(
        cell.sample,
        estimator=ESTIMATOR_NAMES[asked.estimator],
        interval=INTERVAL_NAMES[asked.interval],
        estimand=asked.estimand,
        finite_population=asked.finite_population,
    )
    return Report(
        cell=cell,
        asked=asked,
        found=found,
        ends=_ends(found, asked),
        components=components(cell.sample),
        rho=_rho(cell.sample),
        gamma=_known(normalised_annotator_variance, cell.sample),
        notices=(*cell.notices, *(notice.text for notice in found.notices)),
    )


def _ends(found: Estimate, asked: Asked) -> Interval | None:
    """The interval that was asked for; None where the data admit none."""
    check_level(asked.level)
    try:
        if asked.interval == "sequence":
            # N is fixed before the first judgment, as the sequence's plan must be: it is
            # narrowest at the census.
            planned = found.n_population / ITEMS_FACTOR
            return confidence_sequence(found, level=asked.level, planned_items=planned)
        return found.interval(asked.level)
    except IntervalUnavailableError:
        return None


def components(sample: Sample) -> Components:
    """The components under each definition; None where the incidence cannot tell them."""
    apart, by_item = _known(crossed, sample), _known(one_way, sample)
    cut = apart.truncated() if apart else None
    return Components(
        item=cut.item if cut else None,
        annotator=cut.person if cut else None,
        residual=cut.rest if cut else None,
        one_way_item=by_item.item if by_item else None,
        one_way_annotator=by_item.noise if by_item else None,
        item_means=_known(variance_of_item_means, sample),
    )


def _known(function: Callable[[Sample], T], sample: Sample) -> T | None:
    """What the function says of the sample; None where that takes replicates."""
    try:
        return function(sample)
    except ReplicatesNeededError:
        return None


def _rho(sample: Sample) -> float | None:
    """The metric's correlation with the human metric; None unless there is one metric."""
    if sample.metric is None or sample.metric.ndim != 1:
        return None
    return _known(human_metric_correlation, sample)


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
