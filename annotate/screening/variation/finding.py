"""No variation: the same answers again and again, improbable given the others' answers."""

import numpy as np

from annotate.screening import crowd
from annotate.screening.base import Columns, ScreenFinding, finding
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import uniformity

RATE = 0.01


class Variation(Thresholds):
    """Uniform answers whose probability is at most `p_value` at one look.

    correlation: the lower limit for the correlation of answers within people, because a young
        campaign has too few people to show how much honest people differ.
    """

    p_value: float = between(0.0003, 1e-9, 0.05)
    correlation: float = between(0.1, 0, 0.9)
    minimum: int = between(8, 5, 1000)


def find(columns: Columns, own: Variation, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose run or share of one combination of answers is improbable.

    All answers of a judgment together are one category (`crowd.categories`), so "everything best"
    is one answer and not three. Base rates come from the others alone. Uniform annotators
    contribute neither to them nor to the correlation within people, so they cannot excuse their own
    uniformity or a friend's.
    value: the p-value of `straight_lining`; threshold: the largest that is flagged.
    """
    found = crowd.categories(columns)
    counts = crowd.counts(columns, found)
    yardstick = crowd.varied(counts, limits)
    n, others = columns.judgments, crowd.of_others(counts, yardstick, found.unrelated)
    rates = (others.times + 0.5) / (others.judgments + 0.5 * found.typical.size)[counts.who]
    enough = (n >= own.minimum) & (columns.answers.shape[1] > 0)
    enough &= crowd.large_enough(counts, yardstick, limits)
    modal = counts.modal / np.maximum(n, 1)
    # Rounded up, so that the same few numbers recur and are not computed again.
    rates = np.minimum(np.ceil(rates / RATE) * RATE, 1 - RATE)
    within = crowd.correlation(columns, found.category, yardstick, own.correlation)
    correlation = min(np.ceil(within / RATE) * RATE, 0.99)
    p_value, run = np.ones(n.size), np.zeros(n.size)
    in_order = found.category[columns.turns]
    ends = np.cumsum(n)
    edges = np.searchsorted(counts.who, np.arange(n.size + 1))
    for j in np.flatnonzero(enough & (modal >= 0.5)):  # others cannot be improbably uniform
        mine = slice(edges[j], edges[j + 1])
        answer = np.searchsorted(counts.category[mine], in_order[ends[j] - n[j] : ends[j]])
        _n, _share, run[j], *_, p_value[j] = uniformity(answer, rates[mine], correlation)
    return finding(
        "no_variation",
        columns,
        evidence=-np.log10(np.maximum(p_value, 1e-300)),
        past=p_value <= own.p_value,
        value=p_value,
        threshold=own.p_value,
        n=n,
        enough=enough,
        numbers={
            "modal_share": modal,
            "longest_run": run,
            "correlation": np.full(n.size, correlation),
        },
    )
