"""The interval that the command line asks for, whichever way it is computed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from estimation.core import (
    BALANCE,
    ESTIMATORS,
    ITEMS_FACTOR,
    PERSON_SHARE,
    REGISTERED,
    BootstrapInterval,
    Difference,
    Estimand,
    Estimate,
    Interval,
    IntervalUnavailableError,
    InvalidOptionError,
    Sample,
    bootstrap,
    check_level,
    confidence_sequence,
    pigeonhole,
)
from estimation.known_criteria import KNOWN_CRITERIA

BOOTSTRAPS = {"bootstrap": bootstrap, "pigeonhole": pigeonhole}
INTERVAL_NAMES = ("two_way", "iid", *BOOTSTRAPS, "sequence")
_INDEPENDENT = (
    "The interval treats every judgment as an independent draw: it is too narrow where people "
    "differ, and is offered for comparison only.",
)
INTERVAL_NOTICES = {
    "iid": _INDEPENDENT,
    "bootstrap": _INDEPENDENT,
    "pigeonhole": (
        "The pigeonhole bootstrap errs on the safe side: its interval may be too wide.",
    ),
}
REPLICATES = 2000
RESAMPLED = tuple(name for name in ESTIMATORS if name != "balanced")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How to estimate. balance, person_share: by criterion.

    metric_transform: how metrics entered the samples; "" without metrics.
    """

    estimator: str
    interval: str = "two_way"
    estimand: Estimand = "population"
    level: float = 0.95
    finite_population: bool = True
    seed: int = 0
    metric_transform: str = ""
    balance: Mapping[str, float] = field(default_factory=dict)
    person_share: Mapping[str, float] = field(default_factory=dict)

    def options(self, criterion: str) -> dict[str, Any]:
        """Return the library's options for a criterion: as given, else by its name if it is one of
        ours, else the usual ones."""
        known = KNOWN_CRITERIA.get(criterion)
        usual = (known.balance, known.person_share) if known else (BALANCE, PERSON_SHARE)
        return {
            "estimand": self.estimand,
            "finite_population": self.finite_population,
            "balance": self.balance.get(criterion, usual[0]),
            "person_share": self.person_share.get(criterion, usual[1]),
        }


@dataclass(frozen=True)
class Ends:
    """An interval's ends, not cut to the scale; all None where the data admit none.

    df: degrees of freedom; None for an interval that is not a t interval.
    """

    low: float | None = None
    high: float | None = None
    std_error: float | None = None
    df: float | None = None


def about(asked: Asked) -> tuple[str, ...]:
    """Notes about the interval that do not depend on the data."""
    own = REGISTERED[asked.estimator].notice
    return (*([own] if own else []), *INTERVAL_NOTICES.get(asked.interval, ()))


def ends_of(found: Estimate | Difference, sample: Sample | None, asked: Asked) -> Ends:
    """The interval of an estimate, or of a difference, which has no sample of its own.

    Raises InvalidOptionError for an interval that the estimator does not have.
    """
    check_level(asked.level)
    try:
        ends = _interval(found, sample, asked)
    except IntervalUnavailableError:
        return Ends(std_error=found.std_error)
    if isinstance(ends, BootstrapInterval):
        return Ends(ends.low, ends.high, ends.std_error)
    return Ends(ends.low, ends.high, found.std_error, ends.df if isfinite(ends.df) else None)


def _interval(
    found: Estimate | Difference, sample: Sample | None, asked: Asked
) -> Interval | BootstrapInterval:
    if asked.interval == "two_way" or (asked.interval == "iid" and sample is not None):
        return found.interval(asked.level)
    if sample is None or isinstance(found, Difference):
        raise InvalidOptionError("A difference has the two_way interval only.")
    if asked.interval == "sequence":
        # N is fixed before the first judgment, as what the sequence is tuned to must be: it is
        # narrowest at the census.
        planned = found.n_population / ITEMS_FACTOR
        return confidence_sequence(found, level=asked.level, planned_items=planned)
    return _resampled(sample, asked)


def _resampled(sample: Sample, asked: Asked) -> BootstrapInterval:
    estimator = asked.estimator
    if estimator not in RESAMPLED:
        raise InvalidOptionError(f"The {asked.interval} has no estimator {asked.estimator}.")
    return BOOTSTRAPS[asked.interval](
        sample,
        estimator=estimator,  # type: ignore[arg-type]  # just checked
        level=asked.level,
        replicates=REPLICATES,
        seed=asked.seed,
    )
