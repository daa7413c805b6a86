"""No variation: the same answers again and again, improbable given what the others answer."""

import numpy as np

from annotate.screening import crowd
from annotate.screening.base import Columns, Verdict, verdicts
from annotate.screening.settings import Settings
from estimation.core.straightlining import uniformity


def no_variation(columns: Columns, settings: Settings) -> list[Verdict]:
    """Flag whose run or share of one combination of answers is improbable in the others' crowd.

    All answers of a judgment together are one category (`crowd.categories`), so "everything best"
    is one answer and not three. Base rates come from the others alone, and neither they nor the
    correlation within people from uniform ones: nobody excuses their own uniformity, or a friend's.
    value: the p-value of `straight_lining`; threshold: the largest that is flagged.
    """
    own = settings.variation
    category, chance = crowd.categories(columns)
    counts = crowd.category_counts(columns, category, chance.shape[1])
    yardstick = crowd.varied(counts, settings.crowd)
    n, others = columns.judgments, crowd.of_others(counts, yardstick)
    enough = (n >= own.minimum) & (columns.answers.shape[1] > 0)
    enough &= crowd.large_enough(counts, yardstick, settings.crowd)
    modal = counts.max(axis=1, initial=0) / np.maximum(n, 1)
    correlation = crowd.correlation(columns, category, yardstick, own.correlation)
    p_value, run = np.ones(n.size), np.zeros(n.size)
    in_order = np.split(category[np.lexsort((columns.order, columns.who))], np.cumsum(n)[:-1])
    for j in np.flatnonzero(enough & (modal >= 0.5)):  # others cannot be improbably uniform
        rates = (others[j] + 0.5) / (others[j] + 0.5).sum()
        given = np.flatnonzero(counts[j])
        answer = np.searchsorted(given, in_order[j])
        _n, _share, run[j], *_, p_value[j] = uniformity(answer, rates[given], correlation)
    return verdicts(
        "no_variation", columns, flagged=p_value <= own.p_value, value=p_value,
        threshold=own.p_value, n=n, enough=enough,
        numbers={
            "modal_share": modal, "longest_run": run,
            "correlation": np.full(n.size, correlation),
        },
    )  # fmt: skip
