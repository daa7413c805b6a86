"""The pigeonhole bootstrap (Owen 2007): items and annotators are drawn, each for themselves."""

import numpy as np

from estimation.core.data.errors import IntervalUnavailableError
from estimation.core.data.sample import Sample
from estimation.core.intervals.bootstrap import (
    BootstrapInterval,
    Per,
    Refit,
    check_options,
    chunks,
    columns,
    draw_counts,
    summary,
)


def pigeonhole(
    sample: Sample,
    *,
    estimator: Refit = "regression",
    level: float = 0.8,
    replicates: int = 1000,
    seed: int = 0,
    per: Per = "item",
) -> BootstrapInterval:
    """Draw n of the n judged items and A of the A annotators; a judgment counts v_i times u_j.

    It knows that people differ, and errs on the safe side: of the mean it estimates

        item (c_items + 2) + person (c_people + 2) + 3 rest   over T, where the truth is
        item c_items + person c_people + rest,   c = sum of squared counts / T.

    Where most items are judged once c_items is near 1, so it is up to 3 times too large: an
    upper reference. Options as in `bootstrap`, errors too, and IntervalUnavailableError unless
    at least two items and two annotators were drawn from.
    """
    check_options(estimator=estimator, per=per, level=level, replicates=replicates, seed=seed)
    items, item = np.unique(sample.item, return_inverse=True)
    people, person = np.unique(sample.annotator, return_inverse=True)
    if items.size < 2 or people.size < 2:
        raise IntervalUnavailableError("The pigeonhole bootstrap takes two items and two people.")
    column = columns(sample, estimator=estimator, per=per)
    # A generator each, so that the replicates do not depend on how they are chunked.
    draws = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2)]
    sums = []
    for rows in chunks(replicates, sample.n_judgments):
        v, u = draw_counts(draws[0], rows, items.size), draw_counts(draws[1], rows, people.size)
        sums.append((v[:, item] * u[:, person]) @ column)
    return summary(column, np.concatenate(sums), sample=sample, estimator=estimator, level=level)
