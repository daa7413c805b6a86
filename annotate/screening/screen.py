"""The definition of a screen: a finding, its thresholds, and its texts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from annotate.screening.base import Columns, Verdict
from annotate.screening.thresholds import CrowdThresholds, Thresholds
from annotate.screening.words import ForAnnotators, ForReviewers

T = TypeVar("T", bound=Thresholds)


@dataclass(frozen=True)
class Screen(Generic[T]):
    """One screen, complete. Adding one: docs/variants.md.

    key: its name in flags, exports and the API.
    group: the name of its thresholds in the stored settings.
    find: a pure function that returns one verdict for each annotator of the columns.
    """

    key: str
    group: str
    thresholds: type[T]
    find: Callable[[Columns, T, CrowdThresholds], list[Verdict]]
    reviewers: ForReviewers
    annotators: ForAnnotators[T]
