"""No variation: the same answers again and again, improbable given the others' answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log10

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from scipy.special import gammaln

from annotate.common.numbers import count, number, percent
from annotate.screening import crowd
from annotate.screening.arrays import products
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
)
from annotate.screening.crowd import Counts, Mask, coded, normal, usual_rows
from estimation.core import Floats, Ints, distinct, uniformity

RATE = 0.01  # shares are rounded up to it, so that the same few numbers recur
MOST = 0.5  # of the answers; who gives one answer less often cannot be improbably uniform


SHARE, WEIGHT = 0.15, 20.0  # usual correlation of levels within people, and its weight in people
STEPS = np.linspace(-4, 4, 33)  # (S,) levels of people, in standard deviations of a person's
_UNSEEN = 0.5  # how often an answer counts that nobody else gave


@dataclass(frozen=True, eq=False)
class UsualAnswers:
    """The answers of a campaign by category, and whose say what is usual: people (A,)."""

    columns: Columns
    counts: Counts
    people: Mask

    @cached_property
    def category(self) -> Ints:
        return crowd.categories(self.columns)

    @cached_property
    def n(self) -> int:
        """Return K, the number of categories."""
        return int(self.category.max(initial=0)) + 1

    @cached_property
    def others(self) -> tuple[Floats, Floats]:
        return self.counts.of_others(self.people)

    @cached_property
    def size(self) -> Floats:
        """Return (A,) how many answers the others gave, with the unseen."""
        return np.asarray(self.others[1] + _UNSEEN * self.n)

    @cached_property
    def rates(self) -> Floats:
        """Return (P,) the others' shares of the answers in the rows of `Counts`."""
        return np.asarray((self.others[0] + _UNSEEN) / self.size[self.counts.who])

    @cached_property
    def times(self) -> Floats:
        """Return (K,) how often each category is the answer of those who say what is usual."""
        used = self.counts.times * self.people[self.counts.who]
        times = np.bincount(self.counts.category, used, self.n)
        return np.asarray(times + _UNSEEN, dtype=np.float64)

    @cached_property
    def level(self) -> Floats:
        """Return (K,) the mean normal score of a category's answers, of mean 0 and variance 1."""
        usual = usual_rows(self.columns, self.people)
        z = np.full(self.columns.presented.shape, np.nan)
        for kind in distinct(self.columns.kinds).tolist():
            at = self.columns.kinds == kind
            z[:, at] = coded(self.columns.presented[:, at], usual, normal)
        there = np.isfinite(z)
        mean = np.where(there, z, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
        spread = float(mean[usual].std()) if usual.size else 0.0
        return self._means((mean - mean[usual].mean()) / spread if spread > 0 else 0.0 * mean)

    @cached_property
    def spread(self) -> float:
        """Return the standard deviation of people's levels, nearer the usual one the fewer are.

        The share of the variance that is between people, of those who say what is usual.
        """
        rows = self.people[self.columns.who]
        who, said = self.columns.who[rows], self.level[self.category[rows]]
        share = products(said, who) / max(products(np.ones(who.size), who), 1.0)
        active = int((np.bincount(who) > 1).sum())
        return float(np.sqrt((active * max(share, 0.0) + WEIGHT * SHARE) / (active + WEIGHT)))

    @cached_property
    def within(self) -> float:
        """Return the correlation of answers within people who say what is usual, 0 or more."""
        return crowd.correlation(self.columns, self.category, self.people, 0.0)

    @cached_property
    def tilted(self) -> Floats:
        """Return (S,) the sum of `times`, each answer tilted to the levels of people."""
        # One after the other: a study of many questions has as many categories as judgments.
        return np.array([np.exp(step * self.level) @ self.times for step in self.spread * STEPS])

    @cached_property
    def straight(self) -> Mask:
        """Return (K,) in which categories all questions of a kind have the same level."""
        same = np.ones(len(self.columns.who), dtype=bool)
        blocks = [np.column_stack(list(self.columns.scores.values()) or [same])]
        for block in blocks if self.columns.verdicts is None else [*blocks, self.columns.verdicts]:
            most = np.where(np.isfinite(block), block, -np.inf).max(axis=1, initial=-np.inf)
            same &= ~(block < most[:, None]).any(axis=1)
        return np.asarray(self._means(same.astype(np.float64)) == 1)

    def _means(self, values: Floats) -> Floats:
        """Return (K,) the mean over the judgments of each category."""
        size = self.n
        times = np.bincount(self.category, minlength=size)
        return np.asarray(np.bincount(self.category, values, size) / np.maximum(times, 1))


SHARES = np.array([0.6, 0.7, 0.8, 0.9, 0.97])  # of their answers that may be one and the same
STRAIGHT = 0.5  # how likely that one has the same level for all questions
CORRELATION = 0.02  # of answers within people of one level
_LEAST = 1e-12
# (S,) logarithms of how many people are at each level.
_LEVELS = -(STEPS**2) / 2 - np.logaddexp.reduce(-(STEPS**2) / 2)


@dataclass(frozen=True, eq=False)
class GivenAnswers:
    """What N people answered in P rows of `Counts`, and how likely that is.

    times: (P,) how often. person: (P,) whose row it is, 0 to N - 1. begins: (N,) the first of each.
    usual: (P,) how likely an answer of the others is the same. tilted: (S, P) the same of people of
    each level. chosen: (P,) how likely it is the one of somebody who gives one answer.
    """

    times: Floats
    person: Ints
    begins: Ints
    usual: Floats
    tilted: Floats
    chosen: Floats

    @classmethod
    def of(cls, usual: UsualAnswers, rows: Ints) -> GivenAnswers:
        """Take the people of these rows, which are all of theirs.

        At a level t, the shares of the answers are tilted by what each says: p · exp(t · level).
        """
        who, category = usual.counts.who[rows], usual.counts.category[rows]
        times = usual.counts.times[rows]
        tilt = np.exp(np.outer(usual.spread * STEPS, usual.level[category]))
        begins = np.flatnonzero(np.r_[True, np.diff(who) != 0])
        person = np.cumsum(np.r_[False, np.diff(who) != 0])
        own = np.add.reduceat(tilt * (times * usual.people[who]), begins, axis=1)
        whole = (usual.tilted[:, None] - own) / usual.size[who[begins]]
        p = usual.rates[rows]
        tilted = p * tilt / whole[:, person]
        straight = usual.straight[category] / max(usual.straight.sum(), 1)
        chosen = STRAIGHT * straight + (1 - STRAIGHT) * p
        return cls(times, person, begins, p, np.maximum(tilted, _LEAST), chosen)

    def one_answer(self) -> Floats:
        """Return (N,) how much likelier the answers are of somebody who gives one: a log10."""
        return np.asarray((self._one() - self._honest()) / np.log(10))

    def _honest(self) -> Floats:
        """Return (N,) how likely such answers are of honest people of any level.

        They vary about what is likely at a level as a Dirichlet distribution does: people differ in
        more than their level.
        """
        weight = 1 / CORRELATION - 1
        mean = weight * self.tilted
        each = np.add.reduceat(gammaln(mean + self.times) - gammaln(mean), self.begins, axis=1)
        judgments = np.add.reduceat(self.times, self.begins)
        found = np.logaddexp.reduce(each + _LEVELS[:, None], axis=0)
        return np.asarray(found + gammaln(weight) - gammaln(weight + judgments))

    def _one(self) -> Floats:
        """Return (N,) how likely they are of people who give one answer, and else usual ones.

        It is the answer that a person gave most often. All `SHARES` of it are as likely.
        """
        mine = self._first(self.times == np.maximum.reduceat(self.times, self.begins)[self.person])
        usual = np.outer(1 - SHARES, self.usual)
        usual[:, mine] += SHARES[:, None]
        found = np.logaddexp.reduce(
            np.add.reduceat(np.log(usual) * self.times, self.begins, axis=1)
        )
        return np.asarray(found - np.log(SHARES.size) + np.log(self.chosen[mine]))

    def _first(self, rows: Mask) -> Ints:
        """Return (N,) the first of each person's rows among these; each person has one."""
        places = np.where(rows, np.arange(rows.size), rows.size)
        return np.asarray(np.minimum.reduceat(places, self.begins))


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
    The evidence is how much likelier the answers are of somebody who gives one answer nearly always
    than of an honest person, who answers like the others, at a level of their own: who is lenient
    gives the best answer more often than others do, and the answers next to it as well.
    """
    counts = crowd.counts(columns)
    yardstick = crowd.varied(counts, limits)
    usual = UsualAnswers(columns, counts, yardstick)
    n, modal = counts.judgments, counts.modal / np.maximum(counts.judgments, 1)
    enough = (n >= own.minimum) & (columns.answers.shape[1] > 0)
    enough &= crowd.large_enough(counts, yardstick, limits)
    category = crowd.categories(columns)
    within = crowd.correlation(columns, category, yardstick, own.correlation)
    correlation = float(min(np.ceil(within / RATE) * RATE, 0.99))
    rates = np.ceil(usual.rates / RATE) * RATE
    p_value, run, evidence = np.ones(n.size), np.zeros(n.size), np.zeros(n.size)
    uniform = enough & (modal >= MOST)
    if uniform.any():
        evidence[uniform] = GivenAnswers.of(usual, np.flatnonzero(uniform[counts.who])).one_answer()
    people = np.arange(n.size + 1)
    who, in_order = columns.who[columns.turns], category[columns.turns]
    begins, edges = np.searchsorted(who, people), np.searchsorted(counts.who, people)
    for j in np.flatnonzero(uniform):
        mine = slice(edges[j], edges[j + 1])
        answer = np.searchsorted(counts.category[mine], in_order[begins[j] : begins[j + 1]])
        shares = np.minimum(rates[mine], 1 - RATE)
        _n, _share, run[j], *_rest, p_value[j] = uniformity(answer, shares, correlation)
    return ScreenFinding(
        "no_variation",
        columns.people,
        evidence=evidence,
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


def _detail(said: Verdict) -> str:
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


def _notice(found: Verdict, own: Variation, *, paragraphs: bool) -> NoticeText:
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
