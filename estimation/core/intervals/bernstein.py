"""Empirical Bernstein stopping (Mnih, Szepesvari and Audibert 2008): exact, and costly.

For independent judgments of known range R, P(|mean_t - mu| <= c_t for every t) >= 1 - alpha with

    c_t = sqrt(2 V_t x_t / t) + 3 R x_t / t,    V_t the variance so far, divisor t.

EBStop spends alpha over all t: x_t = ln(3 / d_t), d_t = alpha (p - 1) / (p t^p).
EBGStop spends it over stages that grow geometrically, and may stop in the middle of one:
x_k = -a_k ln(d_k / 3), a_k = floor(beta^k) / floor(beta^(k-1)), d_k = alpha (p - 1) / (p k^p),
where k rises by one on every judgment t > floor(beta^k). Here p = beta = 1.1.

Independent means: no item twice, and people who do not differ. Where they do, this is exact for
nothing; it is the paper's reference, at 13 to 20 times the judgments of a fixed-n interval.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.data.errors import (
    InvalidOptionError,
    InvalidScoreError,
    ScoreOffScaleError,
    ShapeMismatchError,
)
from estimation.core.data.incidence import Floats, Ints
from estimation.core.data.sample import Scale
from estimation.core.intervals.interval import check_level

BernsteinRule = Literal["ebstop", "ebgstop"]
BERNSTEIN_RULES: tuple[str, ...] = get_args(BernsteinRule)

_P = 1.1
_BETA = 1.1
# How many judgments are looked at together when searching for the first that suffices.
_CHUNK = 65_536


def bernstein_half_widths(
    scores: ArrayLike, *, scale: Scale, level: float, rule: BernsteinRule = "ebgstop"
) -> Floats:
    """(T,) c_t about the mean of the first t scores, in score units.

    scores: (T,) independent judgments in order of arrival. scale: bounded, R = high - low.
    NaN where the rule gives no bound yet (EBGStop at the first judgment).
    Raises InvalidOptionError for an unbounded scale, a level outside 0..1 or another rule;
    ShapeMismatchError, InvalidScoreError or ScoreOffScaleError for scores that cannot be right.
    """
    if not scale.bounded:
        raise InvalidOptionError("Bernstein bounds need a bounded scale: they rest on the range.")
    y = _checked(scores, scale)
    t = np.arange(1, y.size + 1)
    # About the midpoint, so that the difference of squares loses no digits.
    y = y - (scale.low + scale.high) / 2
    variance = np.maximum(0.0, np.cumsum(y**2) / t - (np.cumsum(y) / t) ** 2)
    return _bound(variance, t, score_range=scale.high - scale.low, level=level, rule=rule)


def bernstein_judgments(
    *,
    half_width: float,
    variance: float,
    score_range: float,
    level: float,
    rule: BernsteinRule = "ebgstop",
    limit: int = 10_000_000,
) -> int | None:
    """The first t with c_t <= half_width if V_t were `variance` throughout; None beyond `limit`.

    half_width, score_range in score units, variance in squared ones. Raises InvalidOptionError
    unless half_width and score_range are positive, and 0 <= variance <= score_range² / 4.
    """
    if not (half_width > 0 and score_range > 0 and 0 <= variance <= score_range**2 / 4):
        raise InvalidOptionError(
            "Half-width and range are positive; no variance exceeds a quarter of the squared range."
        )
    for start in range(1, limit + 1, _CHUNK):
        t = np.arange(start, min(start + _CHUNK, limit + 1))
        bound = _bound(variance, t, score_range=score_range, level=level, rule=rule)
        enough = np.flatnonzero(bound <= half_width)
        if enough.size:
            return int(t[enough[0]])
    return None


def _bound(
    variance: Floats | float, t: Ints, *, score_range: float, level: float, rule: BernsteinRule
) -> Floats:
    if rule not in BERNSTEIN_RULES:
        raise InvalidOptionError(f"{rule!r} is not one of {', '.join(BERNSTEIN_RULES)}.")
    check_level(level)
    exponents = _every_judgment if rule == "ebstop" else _geometric_stages
    x = exponents(t, 1 - level)
    return np.asarray(np.sqrt(2 * variance * x / t) + 3 * score_range * x / t)


def _every_judgment(t: Ints, alpha: float) -> Floats:
    """x_t = ln(3 / d_t); the d_t sum to at most alpha."""
    return np.asarray(np.log(3 * _P / (alpha * (_P - 1))) + _P * np.log(t))


def _geometric_stages(t: Ints, alpha: float) -> Floats:
    """x_k of the stage that judgment t belongs to; NaN before the first."""
    last = 1
    while _BETA**last <= t[-1]:
        last += 1
    power = np.floor(_BETA ** np.arange(last + 1))
    k = np.arange(1, last + 1)
    # Stage k opens at the first t > floor(beta^(k-1)), but no two open on the same judgment.
    opens = k + np.maximum.accumulate(power[:-1] + 1 - k)
    stage = np.searchsorted(opens, t, side="right")
    x = power[1:] / power[:-1] * (np.log(3 * _P / (alpha * (_P - 1))) + _P * np.log(k))
    return np.asarray(np.r_[np.nan, x][stage])


def _checked(scores: ArrayLike, scale: Scale) -> Floats:
    try:
        y = np.array(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ShapeMismatchError("The scores must be a flat list of numbers.") from error
    if y.ndim != 1 or not y.size:
        raise ShapeMismatchError("The scores must be a flat list of at least one number.")
    if not np.isfinite(y).all():
        raise InvalidScoreError("Some scores are missing or infinite; every score is a number.")
    off = (y < scale.low) | (y > scale.high)
    if off.any():
        raise ScoreOffScaleError(
            f"The score {y[off][0]} lies outside the scale {scale.low} to {scale.high}."
        )
    return y
