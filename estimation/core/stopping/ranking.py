"""The ranking rule: stop when every pair of systems is decided or known to be close.

Each pair has a confidence sequence at level 1 - alpha / pairs, so with probability 1 - alpha all
of them hold at every look (Bonferroni over pairs, the sequence over looks). With few people the
half-widths grow as t quantiles do. A rule that stops when
a fixed-n interval excludes 0 has no such guarantee: in campaigns of 1,000 looks at 95 % it names
one of two identical systems as better in some 40 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.errors import InvalidOptionError, ShapeMismatchError
from estimation.core.data.incidence import Floats, Ints
from estimation.core.estimators.fit import Method
from estimation.core.intervals.interval import MIN_EFFECTIVE_ANNOTATORS, check_level
from estimation.core.stopping.sequence import (
    MIN_SEQUENCE_ITEMS,
    few_people_factor,
    sequence_half_widths,
)

Pair = tuple[str, str]
PairOutcome = Literal["first", "second", "close", "open"]

# In the order of the codes that `pair_outcomes` returns.
OUTCOMES: tuple[PairOutcome, ...] = ("open", "first", "second", "close")


class Compared(Protocol):
    """What `PairState.of` reads: a paired difference, or anything else with these fields."""

    @property
    def centre(self) -> float: ...
    @property
    def std_error(self) -> float | None: ...
    @property
    def n_units(self) -> int: ...
    @property
    def effective_annotators(self) -> float: ...
    @property
    def method(self) -> Method: ...
    @property
    def off_scale(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class PairState:
    """What is known about one pair of systems: the first mean less the second, in score units.

    Parameters
    ----------
    estimate : float
        The centre of its intervals.
    std_error : float or None
        None while there is none. A standard error of 0 is believed: it says that the two systems
        have been identical so far.
    n_items : int
        Items judged for both systems, or groups of items: what was sampled.
    effective_annotators : float, default infinite
        A_eff; infinite for a panel.

    Raises
    ------
    InvalidOptionError
        A number lies outside its range.
    """

    estimate: float
    std_error: float | None
    n_items: int
    effective_annotators: float = float("inf")

    def __post_init__(self) -> None:
        known = self.std_error is None or 0 <= self.std_error < np.inf
        if not (np.isfinite(self.estimate) and known and self.n_items >= 0):
            raise InvalidOptionError(
                "A pair has a finite difference, a standard error that is not negative or none, "
                "and a number of items."
            )

    @classmethod
    def of(cls, found: Compared) -> "PairState":
        """Return the state that a paired difference describes.

        Parameters
        ----------
        found : Difference
            Or anything else with the fields of `Compared`.

        Returns
        -------
        PairState
            With infinite A_eff for a panel, and without a standard error where the difference lies
            off the scale: it is wrong, and decides nothing.
        """
        people = float("inf") if found.method.estimand == "panel" else found.effective_annotators
        error = None if found.off_scale else found.std_error
        return cls(found.centre, error, found.n_units, people)


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What is decided about one pair.

    Attributes
    ----------
    outcome : {"first", "second", "close", "open"}
        Which system is higher; "close": they differ by less than the margin; "open": undecided.
    low, high : float or None
        The pair's interval now, in score units; None where there is none.
    """

    outcome: PairOutcome
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class RankingVerdict:
    """Whether the ranking rule stops.

    Attributes
    ----------
    stop : bool
        Whether every pair is decided.
    pairs : mapping of pair to PairVerdict
        The verdict on each pair.
    reason : str
        A sentence for people.
    """

    stop: bool
    pairs: Mapping[Pair, PairVerdict]
    reason: str

    @property
    def unresolved(self) -> tuple[Pair, ...]:
        """The pairs that are still open, in the order in which they were given."""
        return tuple(pair for pair, verdict in self.pairs.items() if verdict.outcome == "open")


def ranking(
    pairs: Mapping[Pair, PairState],
    *,
    margin: float,
    level: float,
    planned_items: float,
    min_items: int = MIN_SEQUENCE_ITEMS,
) -> RankingVerdict:
    """Stop when every pair's interval excludes 0 or lies within the margin.

    Choose margin, level and `planned_items` before the first judgment. A system may leave when all
    its pairs are decided, if they keep the items that they had in common. With fewer than 15
    effective annotators a pair's half-width is multiplied by t_(A_eff - 1) / z; with fewer than 5
    the pair stays open.

    Parameters
    ----------
    pairs : mapping of (str, str) to PairState
        Every pair that the campaign compares, decided or not: alpha is divided by their number.
    margin : float
        The largest difference that does not matter, in score units. With 0, systems that do not
        differ are never decided and collection goes on.
    level : float
        The confidence level for all pairs and all looks together.
    planned_items : float
        As in `confidence_sequence`.
    min_items : int, default 30
        Pairs with fewer items stay open; 50 for an unbounded criterion.

    Returns
    -------
    RankingVerdict
        Whether to stop, and the verdict on each pair.

    Raises
    ------
    InvalidOptionError
        There are no pairs, or an option is out of range.

    References
    ----------
    The sequence is that of `confidence_sequence`; alpha is divided by the number of pairs
    (Bonferroni).

    Examples
    --------
    >>> from estimation.core import PairState, ranking
    >>> pairs = {
    ...     ("a", "b"): PairState(0.5, std_error=0.05, n_items=200),
    ...     ("a", "c"): PairState(0.1, std_error=0.05, n_items=200),
    ... }
    >>> verdict = ranking(pairs, margin=0.05, level=0.95, planned_items=100)
    >>> verdict.reason
    '1 of 2 pairs are open.'
    >>> verdict.pairs["a", "b"].outcome, verdict.unresolved
    ('first', (('a', 'c'),))
    """
    states = list(pairs.values())
    people = np.array([state.effective_annotators for state in states])
    low, high = _ends(
        np.array([state.estimate for state in states]),
        np.array([np.nan if s.std_error is None else s.std_error for s in states]),
        np.array([state.n_items for state in states]),
        people,
        level=level,
        planned_items=planned_items,
        min_items=min_items,
    )
    decided = _decide(low, high, people, margin=margin)
    verdicts = {
        pair: PairVerdict(OUTCOMES[code], _known(a), _known(b))
        for pair, code, a, b in zip(pairs, decided, low, high, strict=True)
    }
    left = int((decided == 0).sum())
    reason = f"{left} of {len(pairs)} pairs are open." if left else "Every pair is decided."
    return RankingVerdict(not left, verdicts, reason)


def pair_outcomes(
    estimate: Floats,
    std_error: Floats,
    n_items: Floats | Ints,
    *,
    margin: float,
    level: float,
    planned_items: float,
    effective_annotators: Floats | float = float("inf"),
    min_items: int = MIN_SEQUENCE_ITEMS,
) -> NDArray[np.int8]:
    """(P, T) the outcome of each pair after each look, as an index into OUTCOMES.

    estimate, std_error: (P, T) for P pairs, NaN where unknown. n_items, effective_annotators:
    broadcast to that. Options and errors as in `ranking`; ShapeMismatchError unless (P, T).
    """
    if np.ndim(estimate) != 2 or np.shape(estimate) != np.shape(std_error):
        raise ShapeMismatchError(
            "Histories of pairs are tables: a row per pair, a column per look."
        )
    low, high = _ends(
        estimate,
        std_error,
        n_items,
        effective_annotators,
        level=level,
        planned_items=planned_items,
        min_items=min_items,
    )
    return _decide(low, high, effective_annotators, margin=margin)


def _ends(
    estimate: Floats,
    std_error: Floats,
    n_items: Floats | Ints,
    people: Floats | float,
    *,
    level: float,
    planned_items: float,
    min_items: int,
) -> tuple[Floats, Floats]:
    """The sequences' ends, alpha divided by the number of rows; NaN where there is none."""
    check_level(level)
    if not len(estimate):
        raise InvalidOptionError("A ranking takes at least one pair of systems.")
    if min_items < MIN_SEQUENCE_ITEMS:
        raise InvalidOptionError(f"A confidence sequence starts at {MIN_SEQUENCE_ITEMS} items.")
    alpha = (1 - level) / len(estimate)
    half = few_people_factor(people, alpha=alpha) * sequence_half_widths(
        std_error,
        np.where(np.asarray(n_items) >= min_items, n_items, 0),
        alpha=alpha,
        planned_items=planned_items,
    )
    return np.asarray(estimate - half), np.asarray(estimate + half)


def _decide(
    low: Floats, high: Floats, people: Floats | float, *, margin: float
) -> NDArray[np.int8]:
    """Codes of OUTCOMES; comparisons with NaN are false, so what has no interval stays open."""
    if not 0 <= margin < np.inf:
        raise InvalidOptionError(f"A margin is a number from 0 up; got {margin}.")
    enough = np.asarray(people) >= MIN_EFFECTIVE_ANNOTATORS
    conditions = [low > 0, high < 0, (low >= -margin) & (high <= margin)]
    return np.select([enough & c for c in conditions], [1, 2, 3], 0).astype(np.int8)


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
