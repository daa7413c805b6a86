"""No variation: the same answers again and again, improbable given the others' answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import log10

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from scipy.special import gammaln

from annotate.screening import crowd
from annotate.screening.arrays import once, pairs, products
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
    lately,
)
from annotate.screening.crowd import Categories, Counts, Mask, Others, coded, normal, usual_rows
from annotate.text.figures import count, number, percent
from estimation.core import Floats, Ints, distinct, uniformity

SHARE, WEIGHT = 0.15, 20.0  # usual correlation of levels within people, and its weight in people
STEPS = np.linspace(-4, 4, 33)  # (S,) levels of people, in standard deviations of a person's
_UNSEEN = 0.5  # how often an answer counts that nobody else gave


@dataclass(frozen=True, eq=False)
class UsualAnswers:
    """The answers of a campaign by category, and whose say what is usual: people (A,)."""

    columns: Columns
    found: Categories
    counts: Counts
    people: Mask

    @cached_property
    def others(self) -> Others:
        return crowd.of_others(self.counts, self.people, self.found.unrelated)

    @cached_property
    def size(self) -> Floats:
        """Return (A,) how many answers the others gave, with the unseen."""
        return np.asarray(self.others.judgments + _UNSEEN * self.found.typical.size)

    @cached_property
    def rates(self) -> Floats:
        """Return (P,) the others' shares of the answers in the rows of `Counts`."""
        return np.asarray((self.others.times + _UNSEEN) / self.size[self.counts.who])

    @cached_property
    def times(self) -> Floats:
        """Return (K,) how often each category is the answer of those who say what is usual."""
        used = self.counts.times * self.people[self.counts.who]
        times = np.bincount(self.counts.category, used, self.found.typical.size)
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
        who, said = self.columns.who[rows], self.level[self.found.category[rows]]
        share = products(said, who) / max(products(np.ones(who.size), who), 1.0)
        active = int((np.bincount(who) > 1).sum())
        return float(np.sqrt((active * max(share, 0.0) + WEIGHT * SHARE) / (active + WEIGHT)))

    @cached_property
    def within(self) -> float:
        """Return the correlation of answers within people who say what is usual, 0 or more."""
        return crowd.correlation(self.columns, self.found.category, self.people, 0.0)

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
        size = self.found.typical.size
        times = np.bincount(self.found.category, minlength=size)
        return np.asarray(np.bincount(self.found.category, values, size) / np.maximum(times, 1))

    def kept(self, rows: Mask) -> Counts:
        """Return how often each answer is among the judgments that are kept (T,)."""
        size = max(self.found.typical.size, 1)
        pair, n = pairs(self.columns.who[rows], self.found.category[rows], size)
        times = np.zeros(self.counts.who.size)
        times[np.searchsorted(self.counts.who * size + self.counts.category, pair)] = n
        return replace(self.counts, times=times)


@once
def usual_answers(columns: Columns, limits: CrowdThresholds) -> UsualAnswers:
    """Return what is usual in a campaign; computed once for all looks at the same columns."""
    found = crowd.categories(columns)
    counts = crowd.counts(columns, found)
    return UsualAnswers(columns, found, counts, crowd.varied(counts, limits))


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

    def one_answer(self, lately: Floats | None = None) -> Floats:
        """Return (N,) how much likelier the answers are of somebody who gives one: a log10.

        lately: (P,) how often each answer was given since people began to do so; by default they
        always did.
        """
        last = self.times if lately is None else lately
        before = 0.0 if lately is None else self._honest(self.times - last)
        return np.asarray((before + self._one(last) - self._honest(self.times)) / np.log(10))

    def _honest(self, times: Floats) -> Floats:
        """Return (N,) how likely such answers are of honest people of any level.

        They vary about what is likely at a level as a Dirichlet distribution does: people differ in
        more than their level.
        """
        weight = 1 / CORRELATION - 1
        mean = weight * self.tilted
        each = np.add.reduceat(gammaln(mean + times) - gammaln(mean), self.begins, axis=1)
        judgments = np.add.reduceat(times, self.begins)
        found = np.logaddexp.reduce(each + _LEVELS[:, None], axis=0)
        return np.asarray(found + gammaln(weight) - gammaln(weight + judgments))

    def _one(self, times: Floats) -> Floats:
        """Return (N,) how likely they are of people who give one answer, and else usual ones.

        It is the answer that a person gave most often. All `SHARES` of it are as likely.
        """
        mine = self._first(times == np.maximum.reduceat(times, self.begins)[self.person])
        usual = np.outer(1 - SHARES, self.usual)
        usual[:, mine] += SHARES[:, None]
        found = np.logaddexp.reduce(np.add.reduceat(np.log(usual) * times, self.begins, axis=1))
        return np.asarray(found - np.log(SHARES.size) + np.log(self.chosen[mine]))

    def _first(self, rows: Mask) -> Ints:
        """Return (N,) the first of each person's rows among these; each person has one."""
        places = np.where(rows, np.arange(rows.size), rows.size)
        return np.asarray(np.minimum.reduceat(places, self.begins))


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
    "no_variation",
    "variation",
    Variation,
    find,
    FOR_REVIEWERS,
    FOR_ANNOTATORS,
    recent=True,
    find_lately=find_lately,
    ratio=True,
)
