"""No variation: the same answers again and again, improbable given what the others answer."""

import numpy as np

from annotate.screening import crowd
from annotate.screening.base import Columns, Verdict, verdicts
from annotate.screening.settings import Settings
from estimation.core.sample import Floats, Ints
from estimation.core.straightlining import straight_lining


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
    for j in np.flatnonzero(enough & (modal >= 0.5)):  # others cannot be improbably uniform
        mine = _in_order(columns, category, int(j))
        p_value[j], run[j] = _uniformity(mine, others[j] + 0.5, correlation)
    return verdicts(
        "no_variation", columns, flagged=p_value <= own.p_value, value=p_value,
        threshold=own.p_value, n=n, enough=enough,
        numbers={
            "modal_share": modal, "longest_run": run,
            "correlation": np.full(n.size, correlation),
        },
    )  # fmt: skip


def _in_order(columns: Columns, category: Ints, j: int) -> Ints:
    mine = columns.who == j
    return category[mine][np.argsort(columns.order[mine], kind="stable")]


def _uniformity(category: Ints, others: Floats, correlation: float) -> tuple[float, float]:
    """(p-value, longest run) of one annotator's categories in order of arrival."""
    found = straight_lining(
        np.zeros(category.size),
        category,
        base_rates=dict(enumerate((others / others.sum()).tolist())),
        person_correlation=correlation,
    )
    return float(found.p_value[0]), float(found.longest_run[0])
