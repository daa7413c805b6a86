"""One system × criterion as a reader sees it: its numbers, and its state in words."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns import Facts, SystemFacts
from estimation.core.stopping import MIN_EFFECTIVE_ANNOTATORS
from estimation.selectors import savings
from estimation.selectors.history import Newest
from estimation.selectors.savings import Saving


def signed(value: float | None) -> str:
    """Two decimals and a true minus sign."""
    return "–" if value is None else f"{value:z.2f}".replace("-", "−")


@dataclass(frozen=True)
class State:
    """A kind for icon and colour, and the word that carries the meaning."""

    kind: str
    icon: str
    word: str


@dataclass(frozen=True)
class Cell:
    """One system × criterion; `row` is None before its first estimate."""

    system: SystemFacts
    criterion: Criterion
    target: float | None
    row: Newest | None
    price: Decimal  # of one judgment, the fee included

    @property
    def name(self) -> str:
        return f"{self.system.name}, {self.criterion.name}"

    @property
    def at_target(self) -> bool:
        return self.row is not None and bool(self.row.detail.get("at_target"))

    @property
    def too_wide(self) -> float | None:
        """By how much the interval exceeds its target; None without both."""
        if self.target is None or self.row is None or self.row.width is None:
            return None
        return self.row.width - self.target if self.row.width > self.target else None

    @property
    def low(self) -> float | None:
        return self.clipped(self.row.low) if self.row else None

    @property
    def high(self) -> float | None:
        return self.clipped(self.row.high) if self.row else None

    @property
    def saving(self) -> Saving:
        return savings.of_estimate(self.row, price=self.price) if self.row else savings.NO_INTERVAL

    @property
    def verdict(self) -> str:
        return str(self.row.detail.get("verdict", "")) if self.row else ""

    @cached_property
    def state(self) -> State:
        if self.row is None or self.row.width is None:
            return State("", "clock", "no interval yet")
        if self.target is None:
            return State("", "info", "no target")
        if self.at_target:
            return State("good", "check", "at target")
        if self.too_wide is not None:
            return State("warn", "warning", f"{self.too_wide:.3f} too wide")
        few_people = self.row.effective_annotators < MIN_EFFECTIVE_ANNOTATORS
        return State("", "clock", "too few people" if few_people else "too few items")

    @property
    def parts(self) -> str:
        """Where the squared error comes from, such as `items 31 %, people 69 %`."""
        shares = self.row.detail.get("parts", {}) if self.row and self.row.width is not None else {}
        names = (("item", "items"), ("annotator", "people"), ("rest", "rest"))
        known = [(word, shares.get(name, 0.0)) for name, word in names]
        return ", ".join(
            f"{word} {share * 100:.0f}\u00a0%" for word, share in known if share >= 0.005
        )

    @property
    def gauge_end(self) -> float:
        """The width at the right end of the gauge: twice the target, or the width itself."""
        width = self.row.width if self.row and self.row.width is not None else 0.0
        return max(1.5 * (self.target or 0.0), 1.05 * width) or 1.0

    @property
    def gauge_fill(self) -> str:
        width = self.row.width if self.row and self.row.width is not None else 0.0
        return f"{100 * width / self.gauge_end:.1f}"

    @property
    def gauge_tick(self) -> str:
        return f"{100 * (self.target or 0.0) / self.gauge_end:.1f}"

    @property
    def alternative(self) -> str:
        """What the plot shows, for those who do not see it."""
        if self.row is None or self.row.width is None:
            return f"{self.name}: no interval yet."
        goal = f"; its target is {self.target:.3f}" if self.target else ""
        return (
            f"{self.name}: after {self.row.n_judgments} judgments the estimate is "
            f"{signed(self.row.estimate)} with an interval from {signed(self.low)} to "
            f"{signed(self.high)}, {self.row.width:.3f} wide{goal}."
        )

    def clipped(self, value: float | None) -> float | None:
        """Cut to the scale: for display only, the stopping rule sees the whole width."""
        if value is None or not self.criterion.bounded:
            return value
        return min(max(value, self.criterion.low), self.criterion.high)


@dataclass(frozen=True)
class Row:
    """All systems on one criterion, drawn on one scale."""

    criterion: Criterion
    target: float | None
    cells: tuple[Cell, ...]

    @property
    def newest_id(self) -> int | None:
        """What the plots of this row are drawn up to: their addresses never change meaning."""
        return max((cell.row.id for cell in self.cells if cell.row), default=None)


def rows(facts: Facts, newest: list[Newest], *, price: Decimal) -> tuple[Row, ...]:
    """Return one row for each criterion, the primary ones first."""
    found = {(row.system_id, row.criterion): row for row in newest}
    targets = facts.targets
    primary = [c for name in targets for c in facts.criteria if c.name == name]
    others = [c for c in facts.criteria if c.name not in targets]
    return tuple(
        Row(
            criterion,
            targets.get(criterion.name),
            tuple(
                Cell(
                    system, criterion, targets.get(criterion.name),
                    found.get((system.system_id, criterion.name)), price,
                )
                for system in facts.systems
            ),
        )
        for criterion in (*primary, *others)
    )  # fmt: skip
