"""Asymptotic confidence sequences: intervals that may be looked at after every judgment.

Robbins' normal mixture with estimated variance (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
2024): with t items and an estimate of squared standard error V_t,

    half_t = sqrt(V_t t) sqrt(2 (t rho² + 1) / (t² rho²) ln(sqrt(t rho² + 1) / alpha)),

all of which hold at once with probability 1 - alpha, in the limit of many items. rho² = x / t_opt
makes half_t smallest at t_opt, x = -W(-alpha² / e) - 1 with the lower branch of Lambert's W.
"""

import numpy as np
from scipy.special import lambertw, ndtri, stdtrit

from estimation.core.errors import IntervalUnavailableError, InvalidOptionError
from estimation.core.intervals import Interval, check_level
from estimation.core.results import Estimate
from estimation.core.sample import Floats

# The limit theorem behind the sequence needs at least this many items.
MIN_SEQUENCE_ITEMS = 30
# Below so many effective annotators the sequence allows for how little they tell of people.
FEW_ANNOTATORS = 15
# A sequence takes about this many times the items of a fixed-n interval of the same width.
ITEMS_FACTOR = 2.4


def confidence_sequence(source: Estimate, *, level: float, planned_items: float) -> Interval:
    """Return the confidence sequence's interval now.

    Its intervals hold at every look at once, in the limit of many items [1]_. Choose
    `planned_items` before the first judgment: choosing it by the data voids the guarantee.

    source: the estimate now.
    level: the confidence level.
    planned_items: how many items the plan expects a fixed-n interval to take; the sequence is
        narrowest at 2.4 times as many.
    Returns: with infinite df.
    Raises InvalidOptionError: the level is not between 0 and 1, or `planned_items` not positive.
    Raises IntervalUnavailableError: the estimate rests on fewer than 30 items or has no standard
        error.

    .. [1] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas (2024). Time-uniform
       central limit theory and asymptotic confidence sequences. The Annals of Statistics 52,
       2613-2640.
    """
    check_level(level)
    error = np.nan if source.std_error is None else source.std_error
    half = float(
        sequence_half_widths(error, source.n_units, alpha=1 - level, planned_items=planned_items)
    )
    if np.isnan(half):
        raise IntervalUnavailableError(
            f"A confidence sequence starts at {MIN_SEQUENCE_ITEMS} items with a standard error; "
            f"{source.n_units} are judged."
        )
    low = min(source.centre - half, source.estimate)
    high = max(source.centre + half, source.estimate)
    return Interval(low, high, level, float("inf"), source.centre)


def sequence_half_widths(
    std_error: Floats | float, n_items: Floats | float, *, alpha: float, planned_items: float
) -> Floats:
    """Return half the width of the sequence's intervals, by the formula of this module.

    std_error: array of float; in score units.
    n_items: array of float; judged items; broadcast with `std_error`.
    alpha: the probability of ever missing the truth, between 0 and 1.
    planned_items: as in `confidence_sequence`.
    Returns: array of float; in score units; NaN before 30 items or without a standard error.
    Raises InvalidOptionError: `alpha` is not between 0 and 1, or `planned_items` not positive.
    """
    check_planned_items(planned_items)
    t = np.asarray(n_items, dtype=np.float64)
    t = np.where(t >= MIN_SEQUENCE_ITEMS, t, np.nan)
    one = unit_half_widths(t, alpha=alpha, t_opt=ITEMS_FACTOR * planned_items)
    return np.asarray(np.asarray(std_error) * np.sqrt(t) * one)


def unit_half_widths(t: Floats | float, *, alpha: float, t_opt: float) -> Floats:
    """half_t for items of standard deviation 1; t and the result have the same shape."""
    grown = np.asarray(t) * (mixture_optimum(alpha) / t_opt)
    bound = 2 * (grown + 1) / (np.asarray(t) * grown) * np.log(np.sqrt(grown + 1) / alpha)
    return np.asarray(np.sqrt(bound))


def few_people_factor(effective_annotators: Floats | float, *, alpha: float) -> Floats:
    """What half-widths are multiplied by because of few people: t_(A-1) / z at 1 - alpha / 2.

    The sequence knows no degrees of freedom. 1 from 15 effective annotators on; NaN up to 1.
    """
    people = np.asarray(effective_annotators, dtype=np.float64)
    df = np.where(people > 1, np.minimum(people, FEW_ANNOTATORS) - 1, np.nan)
    factor = stdtrit(df, 1 - alpha / 2) / ndtri(1 - alpha / 2)
    return np.asarray(np.where(people >= FEW_ANNOTATORS, 1.0, factor))


def mixture_optimum(alpha: float) -> float:
    """x = -W(-alpha² / e) - 1, lower branch: t rho² where half_t is narrowest for its rho.

    Raises InvalidOptionError unless 0 < alpha < 1.
    """
    if not 0 < alpha < 1:
        raise InvalidOptionError(f"alpha lies between 0 and 1; got {alpha}.")
    # Where the derivative by rho² vanishes, x = ln((x + 1) / alpha²).
    return float(-lambertw(-(alpha**2) / np.e, -1).real - 1)


def check_planned_items(planned_items: float) -> None:
    """Raise InvalidOptionError unless `planned_items` is a positive, finite number."""
    if not 0 < planned_items < np.inf:
        raise InvalidOptionError(f"Planned items are a positive number; got {planned_items}.")
