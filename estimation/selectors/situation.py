"""What advice depends on, and what it is."""

from dataclasses import dataclass
from decimal import Decimal

from annotate.selectors.campaigns import Facts
from annotate.selectors.costs import AtMost
from annotate.selectors.gaps import Gaps
from annotate.selectors.progress import Progress
from estimation.selectors.cells import Cell

NO_GAPS = Gaps()


@dataclass(frozen=True)
class Advice:
    """`act` names what the button does: a verb of the campaign, "people", "batches", "launch",
    "reviews" or "" (none).

    also: a second, lesser act of the same kind, such as to finish now.
    """

    title: str
    text: str
    act: str = ""
    label: str = ""
    also: str = ""
    also_label: str = ""


@dataclass(frozen=True)
class Widened:
    """A primary interval that was at its target at the closing, and is not since an exclusion."""

    cell: Cell
    width_before: float


@dataclass(frozen=True)
class Situation:
    """All that advice depends on; `cells` are those of the primary criteria.

    price: of one judgment. most: of all that are planned, at most. waiting: annotators under
    review. gaps: looked for while the campaign is closing.
    """

    facts: Facts
    progress: Progress
    cells: tuple[Cell, ...]
    price: Decimal
    most: AtMost
    waiting: int = 0
    gaps: Gaps = NO_GAPS
    widened: tuple[Widened, ...] = ()
    collects: bool = True  # whether a limit still allows a lease
    offered: bool = True  # whether its crowd, if it is a marketplace, offers work at the moment
    launched: bool = False  # whether it ever did

    @property
    def missing(self) -> int:
        """Places that can still be judged."""
        return self.progress.missing if self.collects else 0
