"""Who judged what: the part of a sample that all criteria of a system share."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimation.core.data import errors

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Labels whose range is at most this many times their number are counted, not sorted.
_DENSE = 8


@dataclass(frozen=True, eq=False)
class Incidence:
    """Which annotator judged which item: checked once, counted once, shared by several samples.

    Judgments on several criteria of one system have the same items and annotators. An incidence
    holds these arrays and what can be counted from them; `Sample.on` adds the scores of one
    criterion. The arrays are copied and made read-only.

    Parameters
    ----------
    item : (T,) array of int
        Which output each judgment is about, from 0 to N - 1.
    annotator : (T,) array of int or str
        Who judged. Any labels, for instance database keys or names.
    n_population : int
        N, the number of outputs that the system has, judged or not.
    group : (N,) array of int, optional
        Which group (document, prompt, dialogue) each output belongs to, judged or not. Items of a
        group are not independent, so whole groups are the sampling units. None where each output
        is a group of its own.

    Raises
    ------
    ShapeMismatchError
        The arrays have different lengths, are not flat, or do not hold whole numbers.
    ItemOutsidePopulationError
        A judgment names an item below 0 or above N - 1.
    DuplicateJudgmentError
        An annotator judged an item twice.

    Examples
    --------
    >>> from estimation.core import Incidence
    >>> incidence = Incidence(item=[0, 0, 2], annotator=[7, 9, 7], n_population=4)
    >>> incidence.n_judgments
    3
    >>> incidence.count.tolist()
    [2, 0, 1, 0]
    >>> incidence.activity.tolist()
    [2, 1]
    """

    item: Ints
    annotator: Ints
    n_population: int
    group: Ints | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "item", _frozen_ints(self.item, what="items"))
        object.__setattr__(self, "group", _groups(self.group, self.n_population))
        object.__setattr__(
            self, "annotator", _frozen_ints(_numbers(self.annotator), what="annotators")
        )
        if self.item.size != self.annotator.size:
            raise errors.ShapeMismatchError(
                "Every judgment has one item and one annotator; got "
                f"{self.item.size} items and {self.annotator.size} annotators."
            )
        if self.item.size:
            self._check_range()
            self._check_duplicates()

    @property
    def n_judgments(self) -> int:
        """T, the number of judgments."""
        return int(self.item.size)

    @property
    def n_units(self) -> int:
        """How many sampling units the outputs form: N, or the number of their groups."""
        return self.n_population if self.group is None else int(self.group.max(initial=-1)) + 1

    @cached_property
    def unit(self) -> Ints:
        """(T,) the sampling unit of each judgment: its item, or the item's group."""
        return self.item if self.group is None else np.asarray(self.group[self.item])

    @cached_property
    def n_judged_units(self) -> int:
        """How many sampling units have a judgment."""
        return self.judged.size if self.group is None else distinct(self.unit).size

    @cached_property
    def count(self) -> Ints:
        """(N,) how many judgments each output has; 0 for outputs that are not judged."""
        return np.bincount(self.item, minlength=self.n_population)

    @cached_property
    def judged(self) -> Ints:
        """(n,) the outputs that have a judgment, in ascending order."""
        return np.flatnonzero(self.count)

    @cached_property
    def weight(self) -> Floats:
        """(T,) 1 / k_i, where k_i is the number of judgments of the same item."""
        return np.asarray((1 / np.maximum(self.count, 1))[self.item])

    @cached_property
    def person(self) -> Ints:
        """(T,) the annotators, numbered 0 to A - 1 in the order of their labels."""
        return numbered(self.annotator)

    @cached_property
    def activity(self) -> Ints:
        """(A,) how many judgments each annotator made."""
        return np.bincount(self.person)

    @cached_property
    def person_weight(self) -> Floats:
        """(A,) the sum of 1 / k_i over each annotator's judgments."""
        return np.asarray(np.bincount(self.person, self.weight), dtype=np.float64)

    def _check_range(self) -> None:
        low, high = self.item.min(), self.item.max()
        if low < 0 or high >= self.n_population:
            raise errors.ItemOutsidePopulationError(
                f"Items are numbered 0 to {self.n_population - 1}; the judgments name "
                f"{low} to {high}."
            )

    def _check_duplicates(self) -> None:
        # Only an item with several judgments can have two by one person.
        shared = np.flatnonzero(self.weight < 1)
        pair = self.item[shared] * self.activity.size + self.person[shared]
        in_order = np.sort(pair)
        same = np.flatnonzero(in_order[1:] == in_order[:-1])
        if same.size:
            first = shared[np.flatnonzero(pair == in_order[same[0]])[0]]
            raise errors.DuplicateJudgmentError(
                f"Annotator {self.annotator[first]} judged item {self.item[first]} more than once."
            )


def distinct(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the different labels, in ascending order, by sorting.

    `np.unique` puts numbers into a hash table first. That takes many times as long where most of
    them are different.

    Parameters
    ----------
    labels : (T,) array
        Anything that can be sorted.

    Returns
    -------
    (D,) array
        Each label once.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import distinct
    >>> distinct(np.array([7, 9, 7])).tolist()
    [7, 9]
    """
    in_order = np.sort(labels)
    return in_order[np.flatnonzero(np.r_[in_order.size > 0, in_order[1:] != in_order[:-1]])]


def numbered(label: Ints) -> Ints:
    """Return the labels' ranks among the different labels.

    Labels that lie close together are counted, not sorted.

    Parameters
    ----------
    label : (T,) array of ints
        Such as ids of people.

    Returns
    -------
    (T,) array of ints
        From 0; equal labels have equal numbers, and smaller labels smaller ones.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import numbered
    >>> numbered(np.array([40, 7, 40, 12])).tolist()
    [2, 0, 2, 1]
    """
    if not label.size:
        return label
    low, spread = int(label.min()), int(label.max()) - int(label.min()) + 1
    if spread > _DENSE * label.size:
        return np.asarray(np.unique(label, return_inverse=True)[1])
    present = np.zeros(spread, dtype=np.int64)
    present[label - low] = 1
    return np.asarray((np.cumsum(present) - 1)[label - low])


def _groups(given: ArrayLike | None, n_population: int) -> Ints | None:
    """(N,) the groups, numbered from 0; None where each output is a group of its own."""
    if given is None:
        return None
    group = _frozen_ints(given, what="groups")
    if group.size != n_population:
        raise errors.ShapeMismatchError(
            f"Every output has one group; got {group.size} groups of {n_population} outputs."
        )
    numbers = numbered(group)
    if numbers.size and int(numbers.max()) + 1 == n_population:
        return None
    numbers.flags.writeable = False
    return numbers


def _numbers(labels: ArrayLike) -> ArrayLike:
    """(T,) texts as numbers, the same in every sample; other labels as they are."""
    array: NDArray[Any] = np.asarray(labels)
    if not is_text(array):
        return labels
    found, place = np.unique(array.astype(str), return_inverse=True)
    digests = [hashlib.blake2b(str(one).encode(), digest_size=8).digest() for one in found]
    # Half of the range, so that differences of two numbers are numbers too.
    return np.array([int.from_bytes(one, "big") >> 2 for one in digests])[place]


def is_text(labels: NDArray[Any]) -> bool:
    """Whether the labels are texts."""
    objects = labels.dtype == object and all(isinstance(one, str) for one in labels.flat)
    return bool(labels.size) and (labels.dtype.kind == "U" or objects)


def _frozen_ints(values: ArrayLike, *, what: str) -> Ints:
    array: NDArray[Any] = np.array(values)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise errors.ShapeMismatchError(f"The {what} must be whole numbers, not {array.dtype}.")
    if array.ndim != 1:
        raise errors.ShapeMismatchError(
            f"The {what} must be a flat list, not {array.ndim}-dimensional."
        )
    array = array.astype(np.int64)
    array.flags.writeable = False
    return array
