"""How much each judgment weighs: by item, by how much work its annotator did, or by GLS."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats, Incidence, Ints
from estimation.core.estimators.components import Crossed


def balanced_weights(incidence: Incidence, *, balance: float) -> Floats:
    """Weigh each judgment less the more its annotator judged.

    a_ij = 1 / (k_i (1 + balance m_j)), m_j the sum of 1 / k_i over the annotator's judgments. With
    balance = 0 items weigh equally. A person with m judgments of items that nobody else judged
    counts m / (1 + balance m): 25 judgments count 1.84 times 5 at .15.

    Parameters
    ----------
    incidence : Incidence
        Who judged what.
    balance : float
        lambda, 0 or more, such as the person variance by the sum of the other components.

    Returns
    -------
    (T,) array of float
        Weights that do not sum to 1.

    Examples
    --------
    >>> from estimation.core import Incidence, balanced_weights
    >>> incidence = Incidence(item=[0, 1, 2, 2], annotator=[7, 7, 7, 9], n_population=4)
    >>> balanced_weights(incidence, balance=0.2).round(3).tolist()
    [0.667, 0.667, 0.333, 0.455]
    """
    share = 1 / (1 + balance * incidence.person_weight)
    return np.asarray(incidence.weight * share[incidence.person])


def relative_share(first: float, second: float, *, balance: float) -> float:
    """Return how many times a person with `first` judgments counts one with `second`.

    Parameters
    ----------
    first, second : float
        Judgments of two people; positive.
    balance : float
        lambda of `balanced_weights`.

    Returns
    -------
    float
        first (1 + balance second) / (second (1 + balance first)).

    Examples
    --------
    >>> from estimation.core import relative_share
    >>> [round(relative_share(25, 5, balance=balance), 2) for balance in (0.15, 0.07, 0.03)]
    [1.84, 2.45, 3.29]
    """
    return first * (1 + balance * second) / (second * (1 + balance * first))


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """weight: (T,) sums to 1, single ones may be negative. model_variance: that of the weighted
    mean if the components are right, in squared score units."""

    weight: Floats
    model_variance: float


def gls_weights(incidence: Incidence, components: Crossed) -> Weights:
    """w = S^-1 1 / (1' S^-1 1), S = rest I + item [same item] + person [same person].

    The weights of least variance among all that sum to 1 (Aitken 1936). By Woodbury's identity
    over people, O(T + A³): S = D + person P P', D the item blocks, P (T, A) who judged.
    Raises InvalidOptionError unless item, person >= 0 and rest > 0.
    """
    if not (components.item >= 0 and components.person >= 0 and components.rest > 0):
        raise InvalidOptionError("Weights take variances that are not negative, and some noise.")
    row, person = np.unique(incidence.item, return_inverse=True)[1], incidence.person
    by_item = _item_blocks(row, components)
    shape = int(row.max()) + 1, incidence.activity.size
    who = csr_array((np.ones(row.size), (row, person)), shape=shape)
    # M = P' D^-1 P: a judgment's own 1 / rest, less what the other judgments of its item tell.
    shared = (who.T @ (who * by_item[:, None])).toarray()
    m = (np.diag(incidence.activity.astype(np.float64)) - shared) / components.rest
    ones = _solve_blocks(np.ones(row.size), row, by_item, components)
    system = np.eye(m.shape[0]) + components.person * m
    effect = components.person * np.linalg.solve(system, np.bincount(person, ones))
    solved = ones - _solve_blocks(effect[person], row, by_item, components)
    precision = float(solved.sum())
    return Weights(solved / precision, 1 / precision)


def _item_blocks(row: Ints, components: Crossed) -> Floats:
    """(n,) item / (rest + k_i item): the inverse of a block is (I - this 11') / rest."""
    count = np.bincount(row)
    return np.asarray(components.item / (components.rest + count * components.item))


def _solve_blocks(values: Floats, row: Ints, by_item: Floats, components: Crossed) -> Floats:
    """(T,) D^-1 times `values` (T,)."""
    shared = by_item * np.bincount(row, values)
    return np.asarray((values - shared[row]) / components.rest)
