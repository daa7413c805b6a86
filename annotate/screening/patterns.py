"""Answers that the texts do not explain: combinations of dice, and patterns in their order."""

from __future__ import annotations

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from scipy.special import gammaln

from annotate.common.numbers import many, number, percent
from annotate.screening import crowd
from annotate.screening.base import (
    Columns,
    CrowdThresholds,
    ForAnnotators,
    ForReviewers,
    NoticeText,
    Screen,
    ScreenAxis,
    ScreenFinding,
    Thresholds,
    Verdict,
    between,
    odds,
    times,
)
from annotate.screening.crowd import Mask, coded, normal, rarity
from estimation.core import Floats, Ints, distinct

# ---- random answers --------------------------------------------------------------------------

_UNRELATED = 60.0  # the weight of "unrelated" beside the campaign's correlations, in judgments
_FREQUENCY = 0.5  # the weight of how rare the answers themselves are: people differ in that
_LIKELY = 1.0  # ten times likelier from dice: who is that is no yardstick


class Patterns(Thresholds):
    """Answers at least `odds` times as probable from dice as from a person like the others."""

    odds: float = between(300, 2, 1e9)
    minimum: int = between(8, 5, 1000)


def find_random(columns: Columns, own: Patterns, limits: CrowdThresholds) -> ScreenFinding:
    """Find annotators whose answers are more probable from dice than from people like the others.

    The answers of a person like the others go together as the others' do. In a normal model of
    their scores z, with the others' correlations R, one judgment's logarithm of the ratio is
    (z' (R⁻¹ - I) z + log det R) / 2. How rare the answers themselves are counts half. It needs no
    outputs judged twice. Annotators who are ten times likelier dice are then removed from the
    yardstick, and the computation is repeated; otherwise many random answerers would resemble each
    other. value: log10 of the odds; threshold likewise.
    """
    counts = crowd.counts(columns)
    # Paragraphs have no names: their combinations say little.
    is_asked = columns.answers.shape[1] > 1 and columns.verdicts is None
    long_ = (columns.judgments >= own.minimum) & is_asked
    yardstick = crowd.varied(counts, limits)
    ratio = _of_dice(columns, yardstick)
    if (yardstick & long_ & (ratio > _LIKELY)).any():
        yardstick = yardstick & ~(long_ & (ratio > _LIKELY))
        ratio = _of_dice(columns, yardstick)
    threshold = float(np.log10(own.odds))
    return ScreenFinding(
        "random_answers",
        columns.people,
        evidence=ratio,
        past=ratio >= threshold,
        value=ratio,
        threshold=threshold,
        n=columns.judgments,
        enough=long_ & crowd.large_enough(counts, yardstick, limits),
    )


def _of_dice(columns: Columns, yardstick: Mask) -> Floats:
    """Return (A,) log10 of how much likelier each person's answers are of dice."""
    usual = crowd.usual_rows(columns, yardstick)
    z, rare = np.zeros(columns.presented.shape), np.zeros(columns.presented.shape)
    for kind in distinct(columns.kinds).tolist():
        at = columns.kinds == kind
        for into, code in ((z, normal), (rare, rarity)):
            into[:, at] = np.nan_to_num(coded(columns.presented[:, at], usual, code))
    own = np.eye(len(columns.kinds))
    related = (z[usual].T @ z[usual] + _UNRELATED * own) / (usual.sum() + _UNRELATED)
    apart = np.einsum("ti,ij,tj->t", z, np.linalg.inv(related) - own, z)
    ratio = (apart + np.linalg.slogdet(related)[1]) / 2 + _FREQUENCY * rare.sum(axis=1)
    return np.asarray(np.bincount(columns.who, ratio, columns.people.size) / np.log(10))


def _random_detail(said: Verdict) -> str:
    return f"From the combinations of answers in {many(said.n, 'judgment')}."


RANDOM_REVIEWERS = ForReviewers(
    "Random answers",
    "random answers",
    "to be chosen at random than by a person",
    big=lambda said: times(said.value),
    detail=_random_detail,
    limit=lambda said: f"Pauses only from {times(said.threshold)}.",
    axis=lambda _values: ScreenAxis(-4, 4, odds, flags_above=True),
)


LEAST_TOLD = 1.0  # 1 of 10: what is more frequent is no news


def _random_notice(found: Verdict, own: Patterns, *, paragraphs: bool) -> NoticeText:
    sentences = []
    if found.value is not None and found.value >= LEAST_TOLD:
        said = _(
            "Among people who work like the others, answers like these come up by chance in fewer "
            "than 1 of %(n)s."
        )
        sentences.append(said % {"n": number(10 ** min(found.value, 9.0), 0)})
    sentences.append(_("We look at work whose answers to the questions of a task look random."))
    return _("Your answers look random"), sentences


RANDOM_ANNOTATORS = ForAnnotators(gettext_lazy("answers that do not go together"), _random_notice)


RANDOM_ANSWERS = Screen(
    "random_answers",
    "patterns",
    Patterns,
    find_random,
    RANDOM_REVIEWERS,
    RANDOM_ANNOTATORS,
    ratio=True,
)


# ---- patterns in the order of answers ----

FAIR = 0.55  # honest people's share for one side differs from a half by at most as much
LEANING = (0.8, 0.95)  # shares for one side, each as likely as the other
AS_LIKELY = 0.5  # leaning, beside the patterns of answers


def leaning(columns: Columns) -> tuple[Floats, Floats]:
    """Return (A,) log10 odds of leaning to a side, and the share of the text shown first.

    Which text is first is drawn anew for each person and pair, so the texts do not explain a
    share. The odds compare the shares of `LEANING`, for either side, with the fair share that suits
    the person best, so their expectation at any moment is at most 1 for fair people. Ties count
    for neither side. NaN is the share of who preferred nothing.
    """
    side = np.nansum(columns.presented, axis=1)
    first, second = (
        np.bincount(columns.who, side * sign > 0, columns.people.size) for sign in (1, -1)
    )
    n = first + second
    with np.errstate(invalid="ignore"):
        share = first / n
    fair = np.clip(np.nan_to_num(share, nan=0.5), 1 - FAIR, FAIR)
    null = first * np.log(fair) + second * np.log1p(-fair)
    shares = np.array([q for each in LEANING for q in (each, 1 - each)])
    each = first[:, None] * np.log(shares) + second[:, None] * np.log1p(-shares)
    odds = np.logaddexp.reduce(each, axis=1) - np.log(shares.size) - null
    return odds / np.log(10), share


# Answers after which a pattern begins again, with the weight of each.
PERIODS = {2: 0.5, 3: 0.2, 4: 0.1, 5: 0.1, 6: 0.05, 7: 0.05}
COPIES = (0.7, 0.95)  # how often an answer is that of one period before
THROUGHOUT = (crowd.IMPLAUSIBLE, crowd.ALL_FOR, crowd.ALL_AGAINST)
ENDINGS = 1.0  # a run may begin at any task: a factor of ten


class SequenceThresholds(Thresholds):
    """Answers at least `odds` times as probable from a pattern as from any frequencies."""

    odds: float = between(300, 2, 1e9)
    minimum: int = between(8, 5, 1000)


def find_pattern(
    columns: Columns, own: SequenceThresholds, limits: CrowdThresholds
) -> ScreenFinding:
    """Find annotators who repeat a pattern, such as best and worst by turns.

    Texts come in random order, so an honest person's answers are in random order too, whatever
    their frequencies are. The odds compare "the same answer as two (three, ..., seven) tasks ago"
    with the frequencies that suit the person best. The numerator is a probability that is known
    before each answer, so over all looks at most 1 / odds of such people pass the odds (universal
    inference, Wasserman, Ramdas and Balakrishnan 2020). The other pattern is one answer from some
    task on: of all orders of a person's answers, the share that ends with as long a run of one. Of
    pairs it may also be one side (`sides.leaning`).
    value: log10 of the odds. numbers, of pairs alone: the odds of leaning to a side, and the share
    of the text shown first.
    """
    counts = crowd.counts(columns)
    order = columns.turns
    who, category = columns.who[order], crowd.categories(columns)[order]
    rate = (np.bincount(category) / max(category.size, 1))[category]
    free = _free(columns, category, rate, order)
    people = columns.people.size
    patterns = [
        np.bincount(who, _copied(who, category, (rate, free), period, copy), people)
        + np.log(weight / 2)
        for period, weight in PERIODS.items()
        for copy in COPIES
    ]
    odds = np.logaddexp.reduce(patterns, axis=0)
    n = columns.judgments
    own_share = counts.times / n[counts.who]
    best = np.bincount(counts.who, counts.times * np.log(own_share), people)
    odds = np.maximum((odds - best) / np.log(10), _ending(who, category, people) - ENDINGS)
    numbers: dict[str, Floats] = {}
    if columns.turned is not None:
        side, share = leaning(columns)
        odds = np.maximum(odds + np.log10(1 - AS_LIKELY), side + np.log10(AS_LIKELY))
        numbers = {"side": side + np.log10(AS_LIKELY), "first": share}
    threshold = float(np.log10(own.odds))
    others = columns.others(limits.people, limits.judgments)
    return ScreenFinding(
        "answer_pattern",
        columns.people,
        evidence=odds,
        past=odds >= threshold,
        value=odds,
        threshold=threshold,
        n=n,
        enough=(n >= own.minimum) & (columns.answers.shape[1] > 0) & others,
        numbers=numbers,
    )


def _free(columns: Columns, category: Ints, rate: Floats, order: Ints) -> Floats:
    """Return (T,) the probability of an answer that copies none: usual, or one level throughout.

    Patterns are made of answers such as "all best" and "all worst", however rare these are.
    """
    if columns.verdicts is not None:
        throughout, n = np.isin(category, THROUGHOUT), len(THROUGHOUT)
    elif columns.answers.shape[1]:
        answers = columns.presented[order]
        throughout, n = (answers == answers[:, :1]).all(axis=1), len(columns.levels)
    else:
        return rate
    return np.asarray((rate + throughout / n) / 2)


def _copied(
    who: Ints, category: Ints, chances: tuple[Floats, Floats], period: int, copy: float
) -> Floats:
    """Return (T,) the log probability of each answer; the first ones of a person are free."""
    rate, free = chances
    before = np.zeros(who.size, dtype=bool)
    before[period:] = who[period:] == who[:-period]
    same = np.zeros(who.size, dtype=bool)
    same[period:] = category[period:] == category[:-period]
    return np.asarray(np.log(np.where(before, copy * same + (1 - copy) * rate, free)))


def _ending(who: Ints, category: Ints, people: int) -> Floats:
    """Return (A,) -log10 of the share of orders that end with as many of the last answer."""
    n = np.bincount(who, minlength=people)
    ends = np.cumsum(n) - 1
    same = category == category[ends][who]
    others = np.where(same, -1, np.arange(who.size))
    newest = np.maximum.reduceat(others, ends - n + 1)  # the last task with another answer
    run = ends - np.maximum(newest, ends - n)
    times = np.bincount(who, same, people)
    # (times choose run) / (n choose run)
    share = gammaln(times + 1) - gammaln(times - run + 1) - gammaln(n + 1) + gammaln(n - run + 1)
    return np.asarray(-share / np.log(10))


def _first_share(said: Verdict) -> float | None:
    """Return the share of the texts shown first, if it is the reason; None if a pattern is."""
    side, first = said.numbers.get("side"), said.numbers.get("first")
    if side is None or first is None or said.value is None:
        return None
    return first if side >= said.value else None


def _pattern_detail(said: Verdict) -> str:
    share = _first_share(said)
    if share is None:
        return f"From the order of answers in {many(said.n, 'judgment')}."
    return (
        f"Preferred the text shown first in {percent(share)} of the pairs without a tie, in "
        f"{many(said.n, 'judgment')}. The order is random."
    )


PATTERN_REVIEWERS = ForReviewers(
    "Answer pattern",
    "answers by turns",
    "to be a pattern than chance",
    big=lambda said: times(said.value),
    detail=_pattern_detail,
    limit=lambda said: f"Pauses only from {times(said.threshold)}.",
    axis=lambda _values: ScreenAxis(-4, 4, odds, flags_above=True),
)


def _pattern_notice(found: Verdict, own: SequenceThresholds, *, paragraphs: bool) -> NoticeText:
    share = _first_share(found)
    if share is not None:
        said = _(
            "Which text is shown first is random. You preferred the first one in %(share)s of the "
            "pairs that were no tie."
        )
        return _("You nearly always preferred the same side"), [said % {"share": percent(share)}]
    said = _("Texts come in random order, but your answers follow each other in a pattern.")
    return _("Your answers follow a pattern"), [said]


PATTERN_ANNOTATORS = ForAnnotators(gettext_lazy("answers that follow a pattern"), _pattern_notice)


ANSWER_PATTERN = Screen(
    "answer_pattern",
    "sequence",
    SequenceThresholds,
    find_pattern,
    PATTERN_REVIEWERS,
    PATTERN_ANNOTATORS,
)
