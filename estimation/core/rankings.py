"""The ranking rule: stop when every pair of systems is decided or known to be close.

Each pair has a confidence sequence at level 1 - alpha / pairs, so with probability 1 - alpha all
of them hold at every look (Bonferroni over pairs, the sequence over looks). With few people the
half-widths grow as t quantiles do. A rule that stops when
a fixed-n interval excludes 0 has no such guarantee: in campaigns of 1,000 looks at 95 % it names
one of two identical systems as better in some 40 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from estimation.core.errors import InvalidOptionError, ShapeMismatchError, TooFewJudgmentsError
from estimation.core.intervals import MIN_EFFECTIVE_ANNOTATORS, check_level
from estimation.core.results import Result
from estimation.core.sample import Floats, Ints
from estimation.core.sequences import MIN_SEQUENCE_ITEMS, few_people_factor, sequence_half_widths

Pair = tuple[str, str]
PairOutcome = Literal["first", "second", "close", "open"]

# In the order of the codes that `pair_outcomes` returns.
OUTCOMES: tuple[PairOutcome, ...] = ("open", "first", "second", "close")


@dataclass(frozen=True, slots=True)
class PairState:
    """What is known about one pair of systems: the first mean less the second, in score units.

    estimate: the centre of its intervals.
    std_error: None while there is none. A standard error of 0 is believed: it says
        that the two systems have been identical so far.
    n_items: items judged for both systems, or groups of items: what was sampled.
    effective_annotators: A_eff; infinite for a panel.
    Raises InvalidOptionError: A number lies outside its range.
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
    def of(cls, found: Result) -> "PairState":
        """Return the state that a paired difference describes.

        found: the difference, or the estimate of a pair whose texts were judged side by side.
        Returns: with infinite A_eff for a panel, and without a standard error where the difference
            lies off the scale: it is wrong, and decides nothing.
        """
        people = float("inf") if found.method.estimand == "panel" else found.effective_annotators
        error = None if found.off_scale else found.std_error
        return cls(found.centre, error, found.n_units, people)


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What is decided about one pair.

    outcome: which system is higher; "close": they differ by less than the margin; "open":
        undecided.
    low, high: the pair's interval now, in score units; None where there is none.
    """

    outcome: PairOutcome
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class RankingVerdict:
    """Whether the ranking rule stops.

    stop: whether every pair is decided.
    pairs: the verdict on each pair.
    reason: a sentence for people.
    """

    stop: bool
    pairs: Mapping[Pair, PairVerdict]
    reason: str


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

    pairs: every pair that the campaign compares, decided or not: alpha is divided by their number.
    margin: the largest difference that does not matter, in score units. With 0, systems that do not
        differ are never decided and collection goes on.
    level: the confidence level for all pairs and all looks together.
    planned_items: as in `confidence_sequence`.
    min_items: pairs with fewer items stay open; 50 for an unbounded criterion.
    Returns: whether to stop, and the verdict on each pair.
    Raises InvalidOptionError: there are no pairs, or an option is out of range.

    The sequence is that of `confidence_sequence`; alpha is divided by the number of pairs
    (Bonferroni).
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


# --- What would settle a pair that is open: about how many items, or other people.


def items_to_decide(
    state: PairState,
    *,
    margin: float,
    alpha: float,
    planned_items: float,
    most: int,
    person_variance: float = 0.0,
) -> int | None:
    """Return about how many items decide a pair if its difference stays where it is.

    The interval then excludes 0 or lies within the margin. More items by the same people shrink all
    of the squared standard error but `person_variance`.

    state: what is known about the pair now.
    margin: as in `ranking`.
    alpha: what `ranking` allows this pair: 1 - level, divided by the number of pairs.
    planned_items: as in `ranking`.
    most: the most items that there are.
    person_variance: the part of the squared standard error that comes from differences between
        people.
    Returns: items judged for both systems, in all; None where these people and `most`
        items do not decide it, or nothing is known yet.
    Raises InvalidOptionError: `person_variance` is negative, or an option is out of range.
    """
    if not person_variance >= 0:
        raise InvalidOptionError(f"A variance is not negative; got {person_variance}.")
    if state.std_error is None or state.effective_annotators < MIN_EFFECTIVE_ANNOTATORS:
        return None
    t = np.arange(max(state.n_items, MIN_SEQUENCE_ITEMS), most + 1, dtype=np.float64)
    shrinking = max(0.0, state.std_error**2 - person_variance) * state.n_items / t
    half = few_people_factor(state.effective_annotators, alpha=alpha) * sequence_half_widths(
        np.sqrt(shrinking + min(person_variance, state.std_error**2)),
        t,
        alpha=alpha,
        planned_items=planned_items,
    )
    enough = np.flatnonzero(half <= max(abs(state.estimate), margin - abs(state.estimate)))
    return int(t[enough[0]]) if enough.size else None


# --- What decided pairs say about the order of systems: places, with ties where pairs are open.


def places(
    outcomes: Mapping[Pair, PairOutcome], *, higher_is_better: bool = True
) -> dict[str, tuple[int, int]]:
    """Return the best and the worst place that each system can have.

    A system comes after all that are known to be better and before all that are known to be worse;
    what is open or close leaves both orders possible. So does a circle (a better than b, b than c,
    c than a), which people may prefer where they judge each pair side by side: its systems share
    their places.

    outcomes: the outcome of each pair, as in `PairVerdict.outcome`.
    higher_is_better: whether the higher score is the better one.
    Returns: (best, worst) of each system, from 1, in the order in which they are first named.

    >>> from estimation.core import places
    >>> places({("a", "b"): "first", ("a", "c"): "first", ("b", "c"): "close"})
    {'a': (1, 1), 'b': (2, 3), 'c': (2, 3)}
    """
    number, better = _known_order(outcomes)
    if not higher_is_better:
        better = better.T
    circle = _circles(better)
    beaten = better & (circle[:, None] != circle)
    best, worst = 1 + beaten.sum(axis=0), len(number) - beaten.sum(axis=1)
    return {name: (int(best[n]), int(worst[n])) for name, n in number.items()}


def circles(outcomes: Mapping[Pair, PairOutcome]) -> tuple[tuple[str, ...], ...]:
    """Return the systems of each circle of decided pairs: each is better than another of them.

    outcomes: the outcome of each pair, as in `PairVerdict.outcome`.
    Returns: the names in the order in which they are first named; empty without a circle.

    >>> from estimation.core import circles
    >>> circles({("a", "b"): "first", ("a", "c"): "second", ("b", "c"): "first"})
    (('a', 'b', 'c'),)
    """
    number, better = _known_order(outcomes)
    found: dict[int, list[str]] = {}
    for name, circle in zip(number, _circles(better).tolist(), strict=True):
        found.setdefault(circle, []).append(name)
    return tuple(tuple(names) for names in found.values() if len(names) > 1)


def _known_order(outcomes: Mapping[Pair, PairOutcome]) -> tuple[dict[str, int], NDArray[np.bool_]]:
    """The number of each system, and (K, K) whether the row's is known to be the higher one."""
    names = dict.fromkeys(system for pair in outcomes for system in pair)
    number = {name: n for n, name in enumerate(names)}
    higher = np.zeros((len(number), len(number)), dtype=np.bool_)
    for (first, second), outcome in outcomes.items():
        higher[number[first], number[second]] |= outcome == "first"
        higher[number[second], number[first]] |= outcome == "second"
    return number, higher


def _circles(better: NDArray[np.bool_]) -> NDArray[np.int32]:
    """(K,) a number for each system, the same for those of one circle."""
    if not better.size:
        return np.zeros(0, dtype=np.int32)
    _n, found = connected_components(better, connection="strong")
    return np.asarray(found)


# --- One strength for each system from comparisons of two: Bradley and Terry's model.


PRIOR = 0.5  # wins for each side of every pair that was compared
CLOSE = 1e-10
MOST_ROUNDS = 10_000


def bradley_terry(wins: ArrayLike, *, prior: float = PRIOR) -> Floats:
    """Return the strength of each system as log-odds against a system of average strength.

    A system of strength s beats one of strength t with probability 1 / (1 + exp(t - s)). Strengths
    summarise pairs: where no strengths fit the pairs (A beats B, B beats C, C beats A), they hide
    it. `strength_half_widths` makes intervals around them.

    wins: (K, K); `wins[a, b]`: how often a was better than b; a tie is half a win of both.
    prior: added to both sides of every pair with a comparison. It keeps strengths finite where one
        side won always.
    Returns: (K,) floats; their mean is 0.
    Raises ShapeMismatchError: not square, or with negative or infinite numbers.
    Raises TooFewJudgmentsError: some systems are not connected by any comparisons.

    Maximum likelihood by the iteration of Hunter, "MM algorithms for generalized Bradley-Terry
    models", Annals of Statistics 32 (2004).

    >>> bradley_terry([[0, 3], [1, 0]], prior=0).round(3)
    array([ 0.549, -0.549])
    """
    won = _with_prior(wins, prior)
    times, total = won + won.T, won.sum(axis=1)
    share = np.ones(len(won))
    for _round in range(MOST_ROUNDS):
        new = total / (times / (share[:, None] + share)).sum(axis=1)
        new /= np.exp(np.log(new).mean())
        if np.abs(np.log(new / share)).max() < CLOSE:
            break
        share = new
    return np.asarray(np.log(new))


def strength_half_widths(
    wins: ArrayLike, half_widths: ArrayLike, *, prior: float = PRIOR
) -> Floats:
    """Return half the width of an interval around each strength, from those of the pairs' shares.

    By the delta method, and for the worst case of what pairs have in common: they share items,
    people and texts, and these half-widths hold however strongly their estimates depend on each
    other. So intervals are wider than needed, not narrower. They speak of the strengths that fit
    the true shares best, whether or not the model is right.

    wins: (K, K); as in `bradley_terry`.
    half_widths: (K, K); half the width of the interval of each pair's share of wins; symmetric, and
        not read where there is no comparison.
    prior: as in `bradley_terry`.
    Returns: (K,) floats; in log-odds.
    Raises ShapeMismatchError: A table is not square, has negative or infinite numbers, or another
        size than the other.
    Raises TooFewJudgmentsError: some systems are not connected by any comparisons.

    Strengths s solve sum_b m_ab (p_ab - expit(s_a - s_b)) = 0 for all a, so a change of one share
    moves them by n_ab H^+ (e_a - e_b), H the information of the fit. The bound adds the absolute
    moves of all pairs, each by its half-width: no correlation makes their sum larger.

    >>> from estimation.core import strength_half_widths
    >>> strength_half_widths([[0, 50], [50, 0]], [[0, 0.1], [0.1, 0]], prior=0).round(3)
    array([0.2, 0.2])
    """
    strength = bradley_terry(wins, prior=prior)
    given, widths = np.array(wins, dtype=np.float64), np.array(half_widths, dtype=np.float64)
    times = given + given.T
    np.fill_diagonal(times, 0)
    if widths.shape == times.shape:
        widths = np.where(times > 0, widths, 0.0)
    if widths.shape != times.shape or not np.all((widths >= 0) & (widths < np.inf)):
        raise ShapeMismatchError("Half-widths are a table like that of wins, of numbers from 0 up.")
    share = expit(strength[:, None] - strength)
    won = _with_prior(wins, prior)
    weight = (won + won.T) * share * (1 - share)
    inverse = np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight)
    moves = np.abs(inverse[:, :, None] - inverse[:, None, :]) * (times * widths)
    return np.asarray(moves.sum(axis=(1, 2)) / 2)  # each pair stands there twice


def _with_prior(wins: ArrayLike, prior: float) -> Floats:
    won = np.array(wins, dtype=np.float64)
    if won.ndim != 2 or won.shape[0] != won.shape[1] or not np.all((won >= 0) & (won < np.inf)):
        raise ShapeMismatchError("Wins are a square table of numbers from 0 up.")
    np.fill_diagonal(won, 0)
    won = np.where(won + won.T > 0, won + prior, 0)
    if connected_components(won, connection="strong")[0] != 1:
        raise TooFewJudgmentsError("Some systems are not connected by comparisons.")
    return won
