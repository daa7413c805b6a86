"""How many items a ranking takes: by a formula, because its rule may be checked at any moment."""

from dataclasses import dataclass
from math import ceil, comb

import numpy as np
from scipy.special import ndtri

from estimation.core.data import errors
from estimation.core.planning.study import Study
from estimation.core.stopping.sequence import (
    ITEMS_FACTOR,
    MIN_SEQUENCE_ITEMS,
    sequence_half_widths,
)

# Fewer would make the sequence narrowest before it starts.
LEAST_PLANNED = ceil(MIN_SEQUENCE_ITEMS / ITEMS_FACTOR)
MOST_ITEMS = 100_000  # of each system: more are "more than that"


@dataclass(frozen=True, slots=True)
class RankingForecast:
    """How many items a ranking takes.

    Attributes
    ----------
    margin : float
        The largest difference that does not matter, in score units.
    pairs : int
        How many pairs of systems there are.
    planned_items : int
        What to give `ranking` as `planned_items`: the items of each system at which a fixed-n
        interval of one difference reaches from -margin to +margin.
    settled_items : int or None
        About how many items of each system settle pairs that are equal, or further apart than the
        margin; None where the items do not suffice.
    slowest_items : int or None
        The same for pairs that differ by half the margin, which take longest.
    """

    margin: float
    pairs: int
    planned_items: int
    settled_items: int | None
    slowest_items: int | None


def forecast_ranking(study: Study, *, margin: float, side_by_side: bool = False) -> RankingForecast:
    """Forecast how many items decide every pair of systems.

    People are assumed to be many, and to think alike of each system: with few people, or with
    favourites, it takes more. Metrics count by their correlation.

    Parameters
    ----------
    study : Study
        The collection, of at least two systems; of at least one pair where texts are judged side by
        side.
    margin : float
        The largest difference that does not matter, in score units; positive.
    side_by_side : bool, default False
        Whether the texts of a pair are judged together. A system of the study is then a pair, and a
        score says by how much its first text is better.

    Returns
    -------
    RankingForecast
        Items of each system, or of each pair.

    Raises
    ------
    InvalidOptionError
        There is one system, the margin is not positive, or a number is out of range.

    Examples
    --------
    >>> from estimation.core.planning import TYPICAL, Study, forecast_ranking
    >>> study = Study(TYPICAL["overall"], n_items=2000, systems=4)
    >>> found = forecast_ranking(study, margin=0.2)
    >>> found.pairs, found.planned_items, found.settled_items
    (6, 76, 260)
    """
    if study.systems < 2 and not side_by_side:
        raise errors.InvalidOptionError("A ranking takes at least two systems.")
    if not 0 < margin < np.inf:
        raise errors.InvalidOptionError(f"A margin is a positive number; got {margin}.")
    if not (-1 <= study.rho <= 1 and 0 <= study.double_share <= 1):
        raise errors.InvalidOptionError(
            "A correlation lies between -1 and 1, a share of items judged twice between 0 and 1."
        )
    variance = _variance(study, texts=1 if side_by_side else 2)
    z = float(ndtri(0.5 + study.level / 2))
    planned = min(max(LEAST_PLANNED, ceil(variance * (z / margin) ** 2)), study.n_items)
    pairs = study.systems if side_by_side else comb(study.systems, 2)
    alpha = (1 - study.level) / pairs
    n = np.arange(1, min(study.n_items, MOST_ITEMS) + 1, dtype=np.float64)
    half = sequence_half_widths(np.sqrt(variance / n), n, alpha=alpha, planned_items=planned)

    def reached(reach: float) -> int | None:
        enough = np.flatnonzero(half <= reach)
        return int(n[enough[0]]) if enough.size else None

    return RankingForecast(margin, pairs, planned, reached(margin), reached(margin / 2))


def _variance(study: Study, *, texts: int) -> float:
    """Of one item's difference, its two outputs judged by different people; or of its one score.

    A person judges outputs of all systems, so mildness towards all of them tells them apart no
    worse than noise does.
    """
    part = study.expected.components
    noise = (part.person + part.rest) * (1 - study.double_share / 2)
    return texts * (part.item * (1 - study.rho**2) + noise)
