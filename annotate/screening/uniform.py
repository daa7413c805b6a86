"""No variation: the same answers again and again, improbable given the others' answers."""

from __future__ import annotations

from math import log10

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening import crowd
from annotate.screening.base import (
    Columns,
    CrowdThresholds,
    ForAnnotators,
    ForReviewers,
    Numbers,
    Screen,
    ScreenAxis,
    ScreenFinding,
    Thresholds,
    Told,
    between,
    finding,
)
from annotate.text.figures import count, number, percent
from estimation.core import uniformity

RATE = 0.01  # shares are rounded up to it, so that the same few numbers recur
MOST = 0.5  # of the answers; who gives one answer less often cannot be improbably uniform
UNSEEN = 0.5  # how often an answer counts that nobody else gave


class Variation(Thresholds):
    """Uniform answers whose probability is at most `p_value` at one look.

    correlation: the lower limit for the correlation of answers within people, because a young
        campaign has too few people to show how much honest people differ.
    """

    p_value: float = between(0.0003, 1e-9, 0.05)
    correlation: float = between(0.1, 0, 0.9)
    minimum: int = between(8, 5, 1000)


def find(columns: Columns, own: Variation, limits: CrowdThresholds) -> ScreenFinding:
    """Find annotators whose run or share of one combination of answers is improbable.

    All answers of a judgment together are one category (`crowd.categories`), so "everything best"
    is one answer and not three. Base rates come from the others alone. Uniform annotators
    contribute neither to them nor to the correlation within people, so they cannot excuse their own
    uniformity or a friend's.
    value: the p-value of `estimation.core.uniformity`; threshold: the largest that is flagged.
    """
    counts = crowd.counts(columns)
    yardstick = crowd.varied(counts, limits)
    n, modal = counts.judgments, counts.modal / np.maximum(counts.judgments, 1)
    enough = (n >= own.minimum) & (columns.answers.shape[1] > 0)
    enough &= crowd.large_enough(counts, yardstick, limits)
    category = crowd.categories(columns)
    within = crowd.correlation(columns, category, yardstick, own.correlation)
    correlation = float(min(np.ceil(within / RATE) * RATE, 0.99))
    times, judgments = counts.of_others(yardstick)
    size = judgments + UNSEEN * (int(category.max(initial=0)) + 1)
    rates = np.ceil((times + UNSEEN) / size[counts.who] / RATE) * RATE
    p_value, run = np.ones(n.size), np.zeros(n.size)
    people = np.arange(n.size + 1)
    who, in_order = columns.who[columns.turns], category[columns.turns]
    begins, edges = np.searchsorted(who, people), np.searchsorted(counts.who, people)
    for j in np.flatnonzero(enough & (modal >= MOST)):
        mine = slice(edges[j], edges[j + 1])
        answer = np.searchsorted(counts.category[mine], in_order[begins[j] : begins[j + 1]])
        shares = np.minimum(rates[mine], 1 - RATE)
        _n, _share, run[j], *_rest, p_value[j] = uniformity(answer, shares, correlation)
    return finding(
        "no_variation",
        columns,
        evidence=-np.log10(np.maximum(p_value, 1e-300)),
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


LEAST_P = 1e-6  # what the axis of probabilities ends at


def _probability(value: float | None) -> str:
    if value is None:
        return "–"
    if value > 2 / 3:
        return "Most"
    if value < LEAST_P:
        return "under 1 in a million"
    return f"1 in {count(int(float(f'{1 / value:.2g}')))}"


def _detail(said: Numbers) -> str:
    run, share = said.numbers.get("longest_run"), said.numbers.get("modal_share")
    if not share:
        return ""
    longest = f" Longest run of one answer: {run:.0f}." if run else ""
    return f"Most frequent answer {percent(share)} of {said.n}.{longest}"


FOR_REVIEWERS = ForReviewers(
    "No variation",
    "uniform answers",
    "honest people would answer this uniformly",
    big=lambda said: _probability(said.value),
    detail=_detail,
    limit=lambda said: f"Pauses only from {_probability(said.threshold)} down.",
    axis=lambda _values: ScreenAxis(0, 6, lambda at: _probability(10**-at), flags_above=True),
    onto=lambda value: -log10(max(value, LEAST_P)),
)


def _notice(found: Numbers, own: Variation, *, paragraphs: bool) -> Told:
    sentences = []
    share, run = found.numbers.get("modal_share"), found.numbers.get("longest_run")
    if share is not None and run is not None:
        said = _("You gave the same answers in %(share)s of your tasks, up to %(run)s in a row.")
        sentences.append(said % {"share": percent(share), "run": number(run, 0)})
    limit = _(
        "We look at work in which one answer comes up so often that this is rare among people who "
        "look at each text."
    )
    sentences.append(limit)
    return _("You nearly always gave the same answers"), sentences


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("the same answers again and again"), _notice)


NO_VARIATION = Screen(
    "no_variation", "variation", Variation, find, FOR_REVIEWERS, FOR_ANNOTATORS, ratio=True
)
