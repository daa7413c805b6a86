"""How much each judgment weighs: by item, and by how much work its annotator did."""

import numpy as np

from estimation.core.data.incidence import Floats, Incidence


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
