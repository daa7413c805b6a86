"""No variation: the same answers again and again, improbable given what the others answer."""

import numpy as np

from annotate.screening.base import Columns, Verdict, verdicts
from annotate.screening.patterns import categories, category_counts
from annotate.screening.settings import Settings
from estimation.core.sample import Floats, Ints
from estimation.core.straightlining import person_correlation, straight_lining


def no_variation(columns: Columns, settings: Settings) -> list[Verdict]:
    """Flag whose run or share of one combination of answers is improbable in the others' crowd.

    All answers of a judgment together are one category, so "everything best" is one answer and
    not three. Base rates and the correlation within people come from the others alone: nobody
    excuses their own uniformity.
    value: the p-value of `straight_lining`; threshold: the largest that is flagged.
    """
    own = settings.variation
    category, chance = categories(columns)
    counts = category_counts(columns, category, chance.shape[1])
    n = columns.judgments
    enough = (n >= own.minimum) & columns.crowd_of(settings.crowd.people, settings.crowd.judgments)
    enough &= columns.answers.shape[1] > 0
    modal = counts.max(axis=1, initial=0) / np.maximum(n, 1)
    p_value, run, correlation = np.ones(n.size), np.zeros(n.size), np.full(n.size, np.nan)
    for j in np.flatnonzero(enough & (modal >= 0.5)):  # nobody else can be improbably uniform
        p_value[j], run[j], correlation[j] = _uniformity(columns, category, counts, j, own.correlation)
    return verdicts(
        "no_variation", columns, flagged=p_value <= own.p_value, value=p_value,
        threshold=own.p_value, n=n, enough=enough,
        numbers={"modal_share": modal, "longest_run": run, "correlation": correlation},
    )  # fmt: skip


def _uniformity(
    columns: Columns, category: Ints, counts: Floats, j: int, least: float
) -> tuple[float, float, float]:
    """(p-value, longest run, correlation within the others) of one annotator."""
    mine = columns.who == j
    in_order = category[mine][np.argsort(columns.order[mine], kind="stable")]
    others = counts.sum(axis=0) - counts[j] + 0.5
    rates = dict(enumerate((others / others.sum()).tolist()))
    correlation = max(least, person_correlation(columns.who[~mine], category[~mine]))
    found = straight_lining(
        np.zeros(in_order.size), in_order, base_rates=rates, person_correlation=correlation
    )
    return float(found.p_value[0]), float(found.longest_run[0]), correlation
