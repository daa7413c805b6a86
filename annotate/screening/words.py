"""The texts of screens: figures for reviewers, sentences for the annotator.

Reviewers read English. Annotators' texts are translated: `noticed` when it is shown, `notice` and
`evidence` when they are called.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from annotate.screening.thresholds import Thresholds
from annotate.text.figures import count, percent, short

if TYPE_CHECKING:
    from annotate.instruments.wording import Words

Told = tuple[str, list[str]]  # what was noticed, and its numbers in sentences
T_contra = TypeVar("T_contra", bound=Thresholds, contravariant=True)
T = TypeVar("T", bound=Thresholds)


class Numbers(Protocol):
    """The common fields of a verdict and a flag."""

    @property
    def screen(self) -> str: ...
    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def threshold(self) -> float: ...
    @property
    def n(self) -> int: ...
    @property
    def numbers(self) -> Mapping[str, float | None]: ...


class Task(Protocol):
    """One judgment, as its annotator remembers it; `highlights`: (highlighted words, words)."""

    @property
    def seconds(self) -> float: ...
    @property
    def response(self) -> Mapping[str, Any]: ...
    @property
    def highlights(self) -> Sequence[tuple[int, int]]: ...


class ScreenNotice(Protocol[T_contra]):
    """Writes a title and sentences: the numbers of a flag, and the threshold of the screen."""

    def __call__(self, found: Numbers, own: T_contra, *, paragraphs: bool) -> Told:
        """`paragraphs`: whether the instrument shows paragraphs, which people search."""


@dataclass(frozen=True)
class ScreenAxis:
    """From low to high; `said` formats a number on it. `flags_above`: the zone's position."""

    low: float
    high: float
    said: Callable[[float], str]
    flags_above: bool


@dataclass(frozen=True)
class ForReviewers:
    """How one screen is presented to reviewers.

    looks_at: the sign, in a list of all screens.
    big: its figure.
    unit: of the figure.
    detail: the comparison.
    limit: the threshold.
    onto: the value's place on the axis.
    axis: from all values that are shown on it.
    """

    title: str
    looks_at: str
    unit: str
    big: Callable[[Numbers], str]
    detail: Callable[[Numbers], str]
    limit: Callable[[Numbers], str]
    axis: Callable[[list[float]], ScreenAxis]
    onto: Callable[[float], float] = lambda value: value


@dataclass(frozen=True)
class ForAnnotators(Generic[T]):
    """How one screen is presented to the annotator.

    noticed: what was noticed, in a list within a sentence.
    notice: the same with its numbers.
    evidence: what the screen measured in one task; None: the answers that were given.
    """

    noticed: "Words"
    notice: ScreenNotice[T]
    evidence: Callable[[Task], str] | None = None


def of_share(
    title: str, looks_at: str, unit: str, detail: Callable[[Numbers], str]
) -> ForReviewers:
    """Return the texts of a screen whose value is a share, 0 to 1, and which flags high ones."""
    return ForReviewers(
        title,
        looks_at,
        unit,
        big=lambda said: percent(said.value),
        detail=detail,
        limit=lambda said: f"Flagged if certainly above {percent(said.threshold)}.",
        axis=lambda _values: ScreenAxis(0, 1, percent, flags_above=True),
    )


def within(said: Numbers, write: Callable[[float | None], str]) -> str:
    """Return `Between 0.2 and 0.4 by its interval. `, or "" for a value without an interval."""
    if said.low is None and said.high is None:
        return ""
    if said.low is None:
        return f"At most {write(said.high)} by its interval. "
    if said.high is None:
        return f"At least {write(said.low)} by its interval. "
    return f"Between {write(said.low)} and {write(said.high)} by its interval. "


def times(value: float | None) -> str:
    """Return how many times likelier something is, by its odds' logarithm to base 10."""
    if value is None:
        return "–"
    if abs(value) < 0.02:
        return "As likely"
    size = f"over {count(10**6)}" if abs(value) > 6 else short(10 ** abs(value), most=2)
    return f"{size} times {'likelier' if value > 0 else 'less likely'}"


def odds(value: float | None) -> str:
    """Return the odds whose logarithm to base 10 is `value`."""
    if value is None:
        return "–"
    size = f"over {count(10**6)}" if abs(value) > 6 else count(round(10 ** abs(value)))
    return f"{size} : 1" if value >= 0 else f"1 : {size}"
