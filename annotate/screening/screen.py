"""The definition of a screen: a finding, its thresholds, and its texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from annotate.screening.base import Columns, ScreenFinding
from annotate.screening.thresholds import CrowdThresholds, Thresholds
from annotate.screening.words import ForAnnotators, ForReviewers

T = TypeVar("T", bound=Thresholds)


@dataclass(frozen=True)
class Screen(Generic[T]):
    """One screen, complete. Adding one: docs/variants.md.

    key: its name in flags, exports and the API.
    group: the name of its thresholds in the stored settings.
    find: a pure function that measures each annotator of the columns.
    recent: whether it also looks at everybody's last judgments.
    find_lately: how it looks at the last so many of them, by default as at all, and at these alone.
    ratio: whether its evidence is the logarithm of a likelihood ratio, and not of a probability. So
        high a ratio is rarer among careful people than its inverse says.
    sums: in place of `find`, for a screen that looks at what all others found.
    """

    key: str
    group: str
    thresholds: type[T]
    find: Callable[[Columns, T, CrowdThresholds], ScreenFinding] | None
    reviewers: ForReviewers
    annotators: ForAnnotators[T]
    recent: bool = False
    find_lately: Callable[[Columns, T, CrowdThresholds, int], ScreenFinding] | None = None
    ratio: bool = False
    sums: Callable[[Columns, T, CrowdThresholds, Sequence[ScreenFinding]], ScreenFinding] | None = (
        None
    )
