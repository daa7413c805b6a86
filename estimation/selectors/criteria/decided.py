"""The pairs of a ranking as readers see them: what is decided of each, and what is missing."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.listing import CampaignFacts, ListedSystem
from annotate.text.figures import many, short
from estimation.core import PairOutcome
from estimation.selectors.criteria.cells import State
from estimation.selectors.criteria.contrasts import (
    ContrastTable,
    NewestComparison,
    ShownContrast,
    table_of,
)
from estimation.selectors.history import Newest

PEOPLE, ITEMS, NEITHER = "people", "items", "neither"  # what would settle an open pair


@dataclass(frozen=True)
class RankedPair:
    """Two systems on one criterion; `contrast` is None before their first comparison.

    together: the name under which their texts are judged side by side; "" if each is judged alone.
    """

    first: str
    second: str
    criterion: Criterion
    margin: float
    contrast: ShownContrast | None
    together: str = ""

    @property
    def row(self) -> NewestComparison | None:
        return self.contrast.row if self.contrast else None

    @property
    def shown(self) -> ShownContrast | None:
        """Its numbers, once they rest on enough items to be shown."""
        return self.contrast if self.contrast and self.contrast.is_shown else None

    @property
    def outcome(self) -> PairOutcome:
        found: PairOutcome = self.row.detail.get("outcome", "open") if self.row else "open"
        return found

    @property
    def is_open(self) -> bool:
        return self.outcome == "open"

    @property
    def name(self) -> str:
        return self.together or f"{self.first} and {self.second}"

    @property
    def better(self) -> str:
        """The better system, where it is known; else ""."""
        if self.outcome not in ("first", "second"):
            return ""
        first = (self.outcome == "first") == self.criterion.higher_is_better
        return self.first if first else self.second

    @property
    def state(self) -> State:
        if self.better:
            return State("good", "check", f"{self.better} is better")
        if self.outcome == "close":
            return State("good", "check", f"they differ by less than {short(self.margin)}")
        return State("", "clock", f"open: {self.missing}")

    @property
    def missing(self) -> str:
        """What would settle this pair, in a few words."""
        if self.needs_people:
            return "ask more people"
        if self.row is None or self.row.low is None:
            return "too few items"
        if self.more_items is not None:
            return f"about {self.more}"
        return "these items may not decide it"

    @property
    def more(self) -> str:
        """The number of further items that decide it, in words; there must be one."""
        return many(self.more_items or 0, "more item") + ("" if self.together else " of each")

    @property
    def needs(self) -> str:
        """What would settle an open pair, as a code."""
        if not self.is_open:
            return ""
        return str(self.row.detail.get("needs", ITEMS)) if self.row else ITEMS

    @property
    def needs_people(self) -> bool:
        return self.needs == PEOPLE

    @property
    def more_items(self) -> int | None:
        """About how many more items of each system decide it."""
        needed = self.row.detail.get("items_needed") if self.row else None
        return None if self.row is None or needed is None else max(1, needed - self.row.n_items)

    @property
    def openness(self) -> float:
        """The distance to a decision in items; largest where items do not decide it."""
        return float("inf") if self.more_items is None else self.more_items


def named(facts: CampaignFacts) -> Iterator[tuple[str, str, str]]:
    """Yield the two systems of each pair, and the name under which they are judged together."""
    if facts.compares:
        yield from ((one.first, one.second, one.name) for one in facts.systems)
    else:
        yield from ((one.name, other.name, "") for one, other in combinations(facts.systems, 2))


def parts(facts: CampaignFacts) -> dict[str, list[ListedSystem]]:
    """Return the samples in which each system takes part: its own, or those of its pairs."""
    if not facts.compares:
        return {one.name: [one] for one in facts.systems}
    found: dict[str, list[ListedSystem]] = defaultdict(list)
    for one in facts.systems:
        found[one.first].append(one)
        found[one.second].append(one)
    return dict(found)


def from_ties(facts: CampaignFacts, newest: Sequence[Newest]) -> tuple[ContrastTable, ...]:
    """Return the estimates of pairs that are judged side by side, as differences from a tie."""
    both = chain.from_iterable((one.first, one.second) for one in facts.systems)
    number = {name: n for n, name in enumerate(dict.fromkeys(both))}
    ids = {one.system_id: (number[one.first], number[one.second]) for one in facts.systems}
    names = {n: name for name, n in number.items()}
    return tuple(
        table_of(criterion, rows, names, "none")
        for criterion in facts.primary
        if (
            rows := [
                _from_tie(one, criterion, *ids[one.system_id])
                for one in newest
                if one.criterion == criterion.name
            ]
        )
    )


def _from_tie(one: Newest, criterion: Criterion, first: int, second: int) -> NewestComparison:
    tie = criterion.tie
    return NewestComparison(
        id=one.id,
        first_id=first,
        second_id=second,
        criterion=one.criterion,
        difference=one.estimate - tie,
        low=None if one.low is None else one.low - tie,
        high=None if one.high is None else one.high - tie,
        n_items=one.n_items,
        n_population=one.n_population,
        effective_annotators=one.effective_annotators,
        detail=one.detail,
        std_error=one.std_error,
    )
