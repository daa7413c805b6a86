"""What a reader of an estimate must be told, as values: nothing here is printed or raised."""

from dataclasses import dataclass
from typing import Literal

from estimation.core.interval import half_width
from estimation.core.leniency import Leniency
from estimation.core.moments import Moments
from estimation.core.parts import Method, Parts

Code = Literal[
    "constant_metric", "not_helping_yet", "no_interval", "no_replicates", "activity_matters"
]

# The level at which the two means are compared; a notice cannot depend on what is shown later.
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Notice:
    """A stable code for programs and a sentence for people."""

    code: Code
    text: str


_TEXTS: dict[Code, str] = {
    "constant_metric": "The metric is the same for all judged outputs, so it was not used.",
    "not_helping_yet": (
        "The metric is not helping yet: with so few items, fitting it costs more than it saves."
    ),
    "no_interval": "Too few items or annotators for an interval.",
    "no_replicates": (
        "No item was judged twice, so the interval takes no credit for the share of outputs judged."
    ),
    "activity_matters": (
        "People who judge much score differently: counting annotators equally would move the "
        "estimate by more than half the interval's half-width."
    ),
}


def notices(
    stats: Moments,
    found: Parts,
    people: Leniency,
    *,
    method: Method,
    correlation: float | None,
    flat: bool,
    exists: bool,
) -> tuple[Notice, ...]:
    """The notices that apply, in a fixed order."""
    uses_metric = method.estimator != "mean"
    corrects = method.interval == "two_way" and method.finite_population
    half = float(half_width(found.variance**0.5, found.df, level=_LEVEL)) if exists else None
    moved = abs(people.equal_annotator_mean - float(found.estimate))
    n = float(stats.items.one_one)
    applies: dict[Code, bool] = {
        "constant_metric": uses_metric and flat,
        "not_helping_yet": uses_metric and not flat and _costs_more(n, correlation),
        "no_interval": not exists,
        "no_replicates": corrects and float(stats.judgments.one_one) == n,
        "activity_matters": half is not None and moved > half / 2,
    }
    return tuple(Notice(code, _TEXTS[code]) for code, true in applies.items() if true)


def _costs_more(n: float, correlation: float | None) -> bool:
    """n - 2 <= 1 / r²: estimating the slope adds more variance than the metric removes."""
    return correlation is None or (n - 2) * correlation**2 <= 1
