"""Before there are judgments: the interval's expected variance, and the floor of its width."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

from estimation.core.data import errors
from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Sample, Scale
from estimation.core.estimators.parts import pulled_up
from estimation.core.estimators.weights import balanced_weights
from estimation.core.intervals.interval import annotators_needed, half_width, width_floor
from estimation.core.planning.drawing import samples
from estimation.core.planning.study import Study
from estimation.core.planning.typical import Expectation, check_components

_PSEUDO_ROWS = 4
_ENDLESS = 1e9  # annotators
_ROUNDS = 4  # of drawing the evenness of a larger pool
FEW_DRAWS = 10  # campaigns for a number that needs only a few


@dataclass(frozen=True, slots=True)
class ExpectedVariance:
    """The parts of the squared standard error, in squared score units; each (K,) or ()."""

    item: Floats
    rest: Floats
    annotator: Floats
    df: Floats

    def width(self, level: float) -> Floats:
        """The full width of the interval that has this variance, in score units."""
        error = np.sqrt(self.item + self.rest + self.annotator)
        return 2 * half_width(error, self.df, level=level)


def expected_variance(
    expected: Expectation,
    *,
    rho: float,
    n_items: Floats | float,
    n_population: int,
    effective_annotators: Floats | float,
    double_share: float = 0.25,
) -> ExpectedVariance:
    """The approximate variance of the default interval (statistics.md, "The interval").

    n_items: n, judged items. effective_annotators: A_eff then. With h = 1 - double_share / 2 =
    mean(1 / k_i) and v = item (1 - rho²) + (person + rest) h:
    item: (1 - n / N) (v (n - 2) + squares of the pseudo-rows) / (n + 2) / (n + 4).
    rest: (person + rest) h / N. annotator: E max(0, Z), Z normal about person (1 / A_eff - h / n)
    with the sampling error that V_annot has from A_eff people, V_annot sqrt(2 / A_eff).
    Without double judgments no credit is taken for n / N, as in the interval.
    """
    check_components(expected.components)
    if not (-1 <= rho <= 1 and 0 <= double_share <= 1):
        raise InvalidOptionError("rho lies between -1 and 1, the share judged twice from 0 to 1.")
    part = expected.components
    n = np.asarray(n_items, dtype=np.float64)
    a = np.asarray(effective_annotators, dtype=np.float64)
    noise, h = part.person + part.rest, 1 - double_share / 2
    spread = part.item * (1 - rho**2) + noise * h
    squares = spread * np.maximum(n - 2, 0) + _pseudo_squares(expected.scale, expected.mean)
    item = squares / (n + _PSEUDO_ROWS - 2) / (n + _PSEUDO_ROWS)
    credit = 1.0 if double_share > 0 else 0.0
    between = part.person * (1 / a - h / n)
    error = (spread / n + between) * np.sqrt(2 / a)
    return ExpectedVariance(
        item=(1 - credit * n / n_population) * item,
        rest=np.full_like(n, credit * noise * h / n_population),
        annotator=between * ndtr(between / error) + error * _density(between / error),
        df=np.minimum(n - 2, a - 1),
    )


def _pseudo_squares(scale: Scale, mean: float) -> float:
    return 2 * (scale.low - mean) ** 2 + 2 * (scale.high - mean) ** 2


def _density(z: Floats) -> Floats:
    return np.asarray(np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi))


class TargetBelowFloorError(errors.EstimationError):
    """The annotators alone leave the interval wider than the target, with every item judged.

    Attributes
    ----------
    floor : float
        The width that remains, in score units.
    annotators : int
        The people expected for one system.
    annotators_needed : int or None
        How many people would reach the target, working as evenly; None if no number would.
    """

    def __init__(self, message: str, *, floor: float, annotators: int, needed: int | None) -> None:
        super().__init__(message)
        self.floor = floor
        self.annotators = annotators
        self.annotators_needed = needed


def check_floor(
    study: Study, *, target_width: float, people: float, effective: float, seed: int
) -> float:
    """The floor; raises TargetBelowFloorError if the target lies below it."""
    if study.estimand == "panel":
        return 0.0
    part = study.expected.components
    total = check_components(part)
    pulled = pulled_up(part.person, effective, share=study.person_share, variance=total)
    person = float(pulled)
    floor = float(
        width_floor(person_variance=person, effective_annotators=effective, level=study.level)
    )
    if not (target_width < floor or effective <= 1):
        return floor
    evenness = min(1.0, effective / people)
    needed = _needed(study, target_width, person, evenness=evenness, seed=seed)
    advice = (
        "No number of people would do: more items are needed, or a wider target."
        if needed is None
        else f"It would take {needed} people per system, working as evenly."
    )
    raise TargetBelowFloorError(
        f"A width of {target_width:g} cannot be reached: with every item judged by these "
        f"{people:.0f} people, their differences alone leave {floor:.3g}. {advice}",
        floor=floor,
        annotators=round(people),
        needed=needed,
    )


def _needed(
    study: Study, target_width: float, person: float, *, evenness: float, seed: int
) -> int | None:
    """Annotators who would meet the target with all N items judged.

    A larger pool works less evenly than a small one, so its evenness is drawn again.
    """
    census = expected_variance(
        study.expected,
        rho=study.rho,
        n_items=study.n_items,
        n_population=study.n_items,
        effective_annotators=_ENDLESS,
        double_share=study.double_share,
    )
    for _ in range(_ROUNDS):
        needed = annotators_needed(
            target_width=target_width,
            level=study.level,
            person_variance=person,
            other_variance=float(census.item + census.rest),
            evenness=evenness,
        )
        if needed is None or study.participation.pool is None:
            break
        evenness = _evenness(study, needed, seed)
    # Nobody judges less than one output, so there are no more people than judgments.
    most = study.n_items * (1 + study.double_share)
    return None if needed is None or needed > most else needed


def _evenness(study: Study, pool: int, seed: int) -> float:
    """A_eff / A of one system when `pool` people have judged all they can."""
    larger = replace(study, participation=replace(study.participation, pool=pool))
    return float(
        np.mean(
            [
                _effective(sample, study.balance) / sample.incidence.activity.size
                for sample in samples(larger, FEW_DRAWS, seed)
            ]
        )
    )


def _effective(sample: Sample, balance: float) -> float:
    """A_eff of all judgments of a sample, with balanced weights."""
    who = sample.incidence
    share = np.bincount(who.person, balanced_weights(who, balance=balance))
    return float(share.sum() ** 2 / (share**2).sum())
