"""What decided pairs say about the order of systems: places, with ties where pairs are open."""

from collections.abc import Mapping

from estimation.core.stopping.ranking import Pair, PairOutcome

HIGHER: Mapping[PairOutcome, int] = {"first": 1, "second": -1, "close": 0, "open": 0}


def places(
    outcomes: Mapping[Pair, PairOutcome], *, higher_is_better: bool = True
) -> dict[str, tuple[int, int]]:
    """Return the best and the worst place that each system can have.

    A system comes after all that are known to be better and before all that are known to be worse;
    what is open or close leaves both orders possible.

    Parameters
    ----------
    outcomes : mapping of (str, str) to str
        The outcome of each pair, as in `PairVerdict.outcome`.
    higher_is_better : bool, default True
        Whether the higher score is the better one.

    Returns
    -------
    dict of str to (int, int)
        (best, worst) of each system, from 1, in the order in which they are first named.

    Examples
    --------
    >>> from estimation.core import places
    >>> places({("a", "b"): "first", ("a", "c"): "first", ("b", "c"): "close"})
    {'a': (1, 1), 'b': (2, 3), 'c': (2, 3)}
    """
    systems = list(dict.fromkeys(system for pair in outcomes for system in pair))
    better, worse = dict.fromkeys(systems, 0), dict.fromkeys(systems, 0)
    for (first, second), outcome in outcomes.items():
        sign = HIGHER[outcome] if higher_is_better else -HIGHER[outcome]
        if sign:
            ahead, behind = (first, second) if sign > 0 else (second, first)
            worse[ahead] += 1
            better[behind] += 1
    return {system: (1 + better[system], len(systems) - worse[system]) for system in systems}
