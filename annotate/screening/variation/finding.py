"""No variation: the same answers again and again, improbable given the others' answers."""

import numpy as np

from annotate.screening import crowd
from annotate.screening.base import Columns, ScreenFinding, finding
from annotate.screening.crowd import Counts, Mask
from annotate.screening.joining import lately
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from annotate.screening.variation.likelihood import GivenAnswers
from annotate.screening.variation.usual import UsualAnswers, usual_answers
from estimation.core import Floats, uniformity

RATE = 0.01
MOST = 0.5  # of the answers; who gives one answer less often cannot be improbably uniform


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
    value: the p-value of `straight_lining`; threshold: the largest that is flagged. The evidence is
    how much likelier the answers are of somebody who gives one answer (`likelihood`).
    """
    return _found(columns, own, limits, None)


def find_lately(
    columns: Columns, own: Variation, limits: CrowdThresholds, most: int
) -> ScreenFinding:
    """Look at everybody's last judgments, at most so many: have they begun to give one answer?

    Those before say at which level somebody answers, and all of the others' say what is usual.
    """
    return _found(columns, own, limits, lately(columns, most))


def _found(
    columns: Columns, own: Variation, limits: CrowdThresholds, kept: Mask | None
) -> ScreenFinding:
    """Look at the judgments that are kept (T,), None if all are."""
    usual = usual_answers(columns, limits)
    seen = usual.counts if kept is None else usual.kept(kept)
    n, modal = seen.judgments, seen.modal / np.maximum(seen.judgments, 1)
    enough = (n >= own.minimum) & (columns.answers.shape[1] > 0)
    enough &= crowd.large_enough(usual.counts, usual.people, limits)
    uniform = enough & (modal >= MOST)
    correlation = min(np.ceil(max(usual.within, own.correlation) / RATE) * RATE, 0.99)
    p_value, run = _chances(usual, kept, correlation, uniform)
    return finding(
        "no_variation",
        columns,
        evidence=_evidence(usual, None if kept is None else seen, uniform),
        past=p_value <= own.p_value,
        value=p_value,
        threshold=own.p_value,
        n=n.astype(np.int64),
        enough=enough,
        numbers={
            "modal_share": modal,
            "longest_run": run,
            "correlation": np.full(n.size, correlation),
        },
    )


def _evidence(usual: UsualAnswers, seen: Counts | None, uniform: Mask) -> Floats:
    """Return (A,) the evidence on the `uniform` people; seen: the answers lately, None for all."""
    found, rows = np.zeros(uniform.size), np.flatnonzero(uniform[usual.counts.who])
    if rows.size:
        given = GivenAnswers.of(usual, rows)
        found[uniform] = given.one_answer(None if seen is None else seen.times[rows])
    return found


def _chances(
    usual: UsualAnswers, kept: Mask | None, correlation: float, uniform: Mask
) -> tuple[Floats, Floats]:
    """Return (A,) p-values and longest runs of the `uniform` people; 1 and 0 of others."""
    p_value, run = np.ones(uniform.size), np.zeros(uniform.size)
    columns, counts = usual.columns, usual.counts
    # Rounded up, so that the same few numbers recur and are not computed again.
    rates = np.minimum(np.ceil(usual.rates / RATE) * RATE, 1 - RATE)
    turns = columns.turns if kept is None else columns.turns[kept[columns.turns]]
    people = np.arange(uniform.size + 1)
    begins, edges = (np.searchsorted(who, people) for who in (columns.who[turns], counts.who))
    in_order = usual.found.category[turns]
    for j in np.flatnonzero(uniform):
        mine = slice(edges[j], edges[j + 1])
        answer = np.searchsorted(counts.category[mine], in_order[begins[j] : begins[j + 1]])
        _n, _share, run[j], *_, p_value[j] = uniformity(answer, rates[mine], correlation)
    return p_value, run
