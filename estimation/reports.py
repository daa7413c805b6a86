"""An estimate, or a difference, with all that the command line tells about it, as plain data."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, TypeVar

from estimation.core import (
    Difference,
    Estimate,
    ReplicatesNeededError,
    Sample,
    Scale,
    crossed,
    data_efficiency,
    data_efficiency_cap,
    difference,
    estimate,
    human_metric_correlation,
    normalised_annotator_variance,
    one_way,
    variance_of_item_means,
)
from estimation.interval_choice import Asked, Ends, about, ends_of
from estimation.samples_from_files import FileCell, FilePair

T = TypeVar("T")

ITEMS_KNOWN = "The interval is corrected for the share of all outputs that was judged."
ITEMS_UNKNOWN = (
    "How many outputs there are is not known, so the interval is not corrected for the share that "
    "was judged: say --items N, or list all outputs in a metrics file."
)
ITEMS_A_SAMPLE = (
    "The outputs count as a sample themselves: no finite-population correction, as was asked."
)


@dataclass(frozen=True)
class Components:
    """Variance components of a sample, in squared score units; None where undefined.

    item, annotator, residual: crossed moments, cut at 0. one_way_item, one_way_annotator: the
    one-way analysis of variance, sigma_f² and sigma_a² (MSW). item_means: the variance of item
    means, which still contains noise.
    """

    item: float | None = None
    annotator: float | None = None
    residual: float | None = None
    one_way_item: float | None = None
    one_way_annotator: float | None = None
    item_means: float | None = None


@dataclass(frozen=True)
class Report:
    """One system, or one pair, on one criterion: its estimate, the interval, and the rest.

    items_known: whether it is known how many outputs there are. scale: what an interval is cut to
    for display; None for a difference. rho: the metric's correlation with the human metric; gamma:
    normalised annotator variance.
    """

    system: str
    criterion: str
    asked: Asked
    found: Estimate | Difference
    n_judgments: int
    scale: Scale | None
    ends: Ends
    items_known: bool
    components: Components
    rho: float | None
    gamma: float | None
    notices: tuple[str, ...]

    @property
    def groups(self) -> list[int] | None:
        """How many groups of items are judged, of how many; None without groups."""
        found = self.found
        if found.n_units_population == found.n_population:
            return None
        return [found.n_units, found.n_units_population]

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
            "system": self.system,
            "criterion": self.criterion,
            "estimator": self.asked.estimator,
            "estimate": found.estimate,
            "std_error": ends.std_error,
            "low": ends.low,
            "high": ends.high,
            "level": self.asked.level,
            "df": ends.df,
            "estimand": self.asked.estimand,
            "n_items": found.n_items,
            "n_population": found.n_population if self.items_known else None,
            "finite_population": found.method.finite_population,
            "groups": self.groups,
            "n_judgments": self.n_judgments,
            "n_annotators": found.n_annotators,
            "effective_annotators": found.effective_annotators,
            "variance": asdict(self.components),
            "rho": self.rho,
            "gamma": self.gamma,
            "data_efficiency": self.data_efficiency,
            "data_efficiency_cap": self.cap,
            "notices": list(self.notices),
            **self._protocol(),
        }

    def _protocol(self) -> dict[str, Any]:
        """What another program needs to compute the same numbers."""
        found, method = self.found, self.found.method
        return {
            "centre": found.centre,
            "A_eff": found.effective_annotators,
            "balance": method.balance if method.estimator == "balanced" else None,
            "person_share": method.person_share,
            "s3_factor": found.variance.s3_factor,
            "pull": found.variance.pulled,
            "squared_error": asdict(found.variance),
            "metric_transform": self.asked.metric_transform or None,
            "off_scale": found.off_scale,
            "ridge": None if found.penalty is None else {"penalty": _finite(found.penalty)},
        }


def report(cell: FileCell, asked: Asked) -> Report:
    """Estimate one cell; raises an `EstimationError` for options that cannot be met."""
    sample, library = cell.sample, asked.estimator
    found = estimate(
        sample,
        estimator=library,
        interval="iid" if asked.interval == "iid" else "two_way",
        **options_for(asked, cell),
    )
    told = (notice.text for notice in found.notices)
    return Report(
        system=cell.system,
        criterion=cell.criterion,
        asked=asked,
        found=found,
        n_judgments=found.n_judgments,
        scale=sample.scale,
        ends=ends_of(found, sample, asked),
        items_known=cell.items_known,
        components=components(sample),
        rho=_rho(sample),
        gamma=_known(normalised_annotator_variance, sample),
        notices=(*about_items(asked, cell), *about(asked), *told),
    )


def compare(pair: FilePair, asked: Asked) -> Report:
    """Estimate by how much the first system exceeds the second, item by item."""
    estimator = asked.estimator
    found = difference(
        pair.first,
        pair.second,
        estimator=estimator,  # type: ignore[arg-type]  # the library names those it does not have
        **options_for(asked, pair),
    )
    return Report(
        system=f"{pair.systems[0]} - {pair.systems[1]}",
        criterion=pair.criterion,
        asked=asked,
        found=found,
        n_judgments=sum(found.n_judgments),
        scale=None,
        ends=ends_of(found, None, asked),
        items_known=pair.items_known,
        components=Components(),
        rho=None,
        gamma=None,
        notices=(*about_items(asked, pair), *(notice.text for notice in found.notices)),
    )


def options_for(asked: Asked, of: FileCell | FilePair) -> dict[str, Any]:
    """The library's options; no share of the outputs is known where their number is not."""
    corrected = asked.finite_population and of.items_known
    return asked.options(of.criterion) | {"finite_population": corrected}


def about_items(asked: Asked, of: FileCell | FilePair) -> tuple[str, ...]:
    """Whether the share of the outputs that was judged narrows the interval, and why."""
    if asked.interval not in ("two_way", "sequence"):
        return ()
    if not asked.finite_population:
        return (ITEMS_A_SAMPLE,)
    return (ITEMS_KNOWN if of.items_known else ITEMS_UNKNOWN,)


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
