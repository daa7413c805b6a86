"""What Plumbline's own estimates make of all the judgments: the mean, regression, balanced."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import geometric_mean
from typing import Any

from estimation.core import AnyEstimator, Sample, estimate
from estimation.known_criteria import KNOWN_CRITERIA
from extras.replication.tables import label, markdown, number

LEVEL = 0.95
# The balanced mean without a metric tells what the weights do from what the metric does.
WAYS: dict[str, tuple[AnyEstimator, bool]] = {
    "mean": ("mean", False),
    "regression": ("regression", True),
    "balanced mean": ("balanced", False),
    "balanced": ("balanced", True),
}
PAIRS = (
    ("mean", "regression"),
    ("balanced mean", "balanced"),
    ("regression", "balanced"),
    ("mean", "balanced"),
)

SECTION = """### Plumbline's estimates

Not in the paper: {level} % intervals for people in general from all the judgments of a system,
without a metric (the two means) and with *{metric}*. The outputs count as a sample of endlessly
many: for the outputs of the file alone a metric says nothing more, because nearly all are judged.
The person variance of every way is corrected in the same manner (docs/statistics.md). Data
efficiency, squared width of the first over that of the second, over all {n} rows:

{summary}

The rows; the ways count people differently, so the estimates differ as well:

{rows}
"""


@dataclass(frozen=True)
class Weighed:
    """One estimate of a system on a criterion from all its judgments, and its interval."""

    way: str
    estimate: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


@dataclass(frozen=True)
class WeighedRow:
    """The estimates of one system on one criterion, one for each of `WAYS`."""

    system: str
    criterion: str
    found: tuple[Weighed, ...]

    def efficiency(self, first: str, second: str) -> float:
        """Return the squared width of the first way over that of the second."""
        width = {one.way: one.width for one in self.found}
        return (width[first] / width[second]) ** 2

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


def weighed(system: str, criterion: str, plain: Sample, corrected: Sample) -> WeighedRow:
    """Return a row; the samples have the same judgments, without and with the metric."""
    return WeighedRow(system, criterion, tuple(_each(criterion, plain, corrected)))


def _each(criterion: str, plain: Sample, corrected: Sample) -> Iterator[Weighed]:
    known = KNOWN_CRITERIA[criterion]
    for way, (estimator, has_metric) in WAYS.items():
        made = estimate(
            corrected if has_metric else plain,
            estimator=estimator,
            balance=known.balance,
            person_share=known.person_share,
            finite_population=False,
        )
        ends = made.interval(LEVEL)
        yield Weighed(way, made.estimate, ends.low, ends.high)


def section(rows: Sequence[WeighedRow], metric: str) -> str:
    """Return the section of the page, the geometric means over all rows first."""
    return SECTION.format(
        level=round(100 * LEVEL),
        metric=metric,
        n=len(rows),
        summary=_summary(rows),
        rows=_table(rows),
    )


def _summary(rows: Sequence[WeighedRow]) -> str:
    lines = []
    for first, second in PAIRS:
        values = [row.efficiency(first, second) for row in rows]
        span = f"{number(min(values))} to {number(max(values))}"
        lines.append([f"{first} / {second}", number(geometric_mean(values)), span])
    return markdown(["", "geometric mean", "range"], lines)


def _table(rows: Sequence[WeighedRow]) -> str:
    head = ["system", "criterion", *WAYS, *(f"{first} / {second}" for first, second in PAIRS)]
    return markdown(
        head,
        [
            [
                row.system,
                label(row.criterion),
                *(
                    f"{number(one.estimate)} [{number(one.low)}, {number(one.high)}]"
                    for one in row.found
                ),
                *(number(row.efficiency(*pair)) for pair in PAIRS),
            ]
            for row in rows
        ],
    )
