"""Differences between systems as a reader sees them: numbers, a small plot, and words."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import floor, log10

from django.db.models import Max, QuerySet, Subquery

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns import Facts
from estimation.models import Comparison

# The plot, in units of its drawing: its width, and the room at either side.
PLOT, MARGIN = 300.0, 10.0
ROUND = (1, 1.5, 2, 3, 5, 7.5, 10)


@dataclass(frozen=True)
class Newest:
    """The newest comparison of two systems on one criterion."""

    id: int
    first_id: int
    second_id: int
    criterion: str
    difference: float
    low: float | None
    high: float | None
    n_items: int


@dataclass(frozen=True)
class Axis:
    """From −reach to +reach, the same for all pairs of a criterion."""

    reach: float
    ticks: tuple[float, ...]

    def x(self, value: float) -> str:
        return f"{PLOT / 2 + value / self.reach * (PLOT / 2 - MARGIN):.1f}"

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """(where, what) of each tick."""
        return tuple((self.x(value), signed(value, short=True)) for value in self.ticks)


@dataclass(frozen=True)
class Contrast:
    """One pair: by how much the first exceeds the second, and what that tells."""

    first: str
    second: str
    row: Newest
    criterion: Criterion
    axis: Axis

    @property
    def ahead(self) -> str:
        """The better system, where the interval excludes 0; else ""."""
        if self.row.low is None or self.row.high is None or self.row.low <= 0 <= self.row.high:
            return ""
        return self.first if (self.row.low > 0) == self.criterion.higher_is_better else self.second

    @property
    def reading(self) -> str:
        if self.row.low is None:
            return "no interval yet"
        return f"{self.ahead} ahead: 0 is excluded" if self.ahead else "not told apart: 0 is inside"

    @property
    def numbers(self) -> str:
        return signed(self.row.difference)

    @property
    def ends(self) -> str:
        if self.row.low is None or self.row.high is None:
            return ""
        return f"[{signed(self.row.low)}, {signed(self.row.high)}]"

    @property
    def x(self) -> str:
        return self.axis.x(self.row.difference)

    @property
    def x_low(self) -> str | None:
        return None if self.row.low is None else self.axis.x(self.row.low)

    @property
    def x_high(self) -> str | None:
        return None if self.row.high is None else self.axis.x(self.row.high)


@dataclass(frozen=True)
class Table:
    """All pairs on one primary criterion."""

    criterion: Criterion
    axis: Axis
    contrasts: tuple[Contrast, ...]

    @property
    def direction(self) -> str:
        if self.criterion.higher_is_better:
            return "right of 0: the first is better"
        return "left of 0: the first is better"


def newest(campaign_id: int) -> QuerySet[Comparison]:
    """Select the newest row of every pair and criterion, in the order of upload."""
    last = (
        Comparison.objects.filter(campaign=campaign_id)
        .order_by()
        .values("first", "second", "criterion")
        .annotate(last=Max("id"))
    )
    rows = Comparison.objects.filter(id__in=Subquery(last.values("last")), n_judgments__gt=0)
    return rows.order_by("id")


def tables(facts: Facts) -> tuple[Table, ...]:
    """Return the differences on each primary criterion that has any; one query."""
    names = [field.name for field in fields(Newest)]
    rows = [Newest(*row) for row in newest(facts.campaign_id).values_list(*names)]
    criteria = [c for name in facts.targets for c in facts.criteria if c.name == name]
    return tuple(
        _table(facts, criterion, mine)
        for criterion in criteria
        if (mine := [row for row in rows if row.criterion == criterion.name])
    )


def signed(value: float, *, short: bool = False) -> str:
    """`+0.32`, `−0.08`; `short` without needless zeros and with a plain 0."""
    text = f"{value:+g}" if short else f"{value:+z.2f}"
    return "0" if short and value == 0 else text.replace("-", "−")


def _table(facts: Facts, criterion: Criterion, rows: Sequence[Newest]) -> Table:
    names = {system.system_id: system.name for system in facts.systems}
    axis = _axis(rows)
    return Table(
        criterion,
        axis,
        tuple(
            Contrast(names[row.first_id], names[row.second_id], row, criterion, axis)
            for row in rows
        ),
    )


def _axis(rows: Sequence[Newest]) -> Axis:
    """A round reach that holds every interval, with marks at its ends and at 0."""
    values = [
        abs(value) for row in rows for value in (row.difference, row.low, row.high)
        if value is not None
    ]  # fmt: skip
    most = max(values, default=0.0) or 1.0
    power = 10.0 ** floor(log10(most))
    reach = next(round(power * m, 10) for m in ROUND if power * m >= most)
    return Axis(reach, (-reach, 0.0, reach))
