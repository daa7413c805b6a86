"""Answers that the texts do not explain: combinations of dice, and patterns in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from scipy.special import gammaln, xlogy

from annotate.screening import crowd
from annotate.screening.arrays import levels, once
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
    odds,
    times,
)
from annotate.screening.crowd import Categories, Counts, Mask, categories
from annotate.text.figures import count, many, number, percent
from estimation.core import Floats, Ints, numbered

PRIOR = 0.5  # of each cell of a table: the prior of Krichevsky and Trofimov (1981)
# How much more, or less, people give high answers than others do: factors e^t and e^-t of the odds
# of all questions' highest answers. One of them suits each person best.
TILTS = (0.0, -4.0, -2.0, -1.0, 1.0, 2.0, 4.0)


@dataclass(frozen=True, eq=False)
class Combined:
    """shares: (P,) of the category in each row of `Counts`, among the others, tilted to oneself.

    information: how much the pairs of the tree say about each other, in nats per judgment.
    """

    shares: Floats
    information: float


@dataclass(frozen=True, eq=False)
class _Asked:
    """answer: (T,) numbers 0 to `size` - 1."""

    answer: Ints
    size: int


def combined(columns: Columns, counts: Counts, yardstick: Mask) -> Combined:
    """Return the shares of combinations among all other yardsticks.

    The tree is one for all people; the tables leave out each one's own answers. Somebody who is
    harsh or lenient in everything has combinations of their own: the shares are tilted (Esscher
    1932) as suits each person best.
    """
    asked = _questions(columns)
    said = _information(asked, yardstick[columns.who])
    edges = _tree(said)
    others = _Tables(columns, counts, yardstick)
    shares = others.share(asked[0])
    for parent, child in edges:
        shares = shares * others.share_given(asked[child], asked[parent])
    tilted = _tilted(shares, others.tilts(_height(asked)), counts)
    return Combined(tilted, float(sum(said[edge] for edge in edges)))


@once
def _questions(columns: Columns) -> Sequence[_Asked]:
    found = [levels(column) for column in columns.presented.T]
    return [_Asked(which, n.size) for _values, which, n in found]


def _height(asked: Sequence[_Asked]) -> Floats:
    """Return (T,) how high the answers are: 0 if all are the lowest, 1 if the highest."""
    each = [one.answer / max(one.size - 1, 1) for one in asked]
    return np.asarray(np.mean(each, axis=0))


def _tilted(shares: Floats, tilts: Floats, counts: Counts) -> Floats:
    """Return (P,) the shares with the tilt that makes each person's answers most probable.

    tilts: (len(TILTS), P) by which factor each row's share changes.
    """
    likelihood = np.stack(
        [np.bincount(counts.who, counts.times * np.log(one), counts.people) for one in tilts]
    )
    best = likelihood.argmax(axis=0)[counts.who]
    return np.asarray(shares * tilts[best, np.arange(best.size)])


def _information(asked: Sequence[_Asked], used: Mask) -> Floats:
    """Return (C, C) the mutual information of two questions, 0 or more.

    Less its expectation by chance (Miller 1955), as in `crowd.of_others`.
    """
    said = np.zeros((len(asked), len(asked)))
    for j, k in combinations(range(len(asked)), 2):
        one, other = asked[j], asked[k]
        cell = one.answer[used] * other.size + other.answer[used]
        table = np.bincount(cell, minlength=one.size * other.size).reshape(one.size, other.size)
        said[j, k] = said[k, j] = _mutual(table.astype(np.float64))
    return said


def _mutual(table: Floats) -> float:
    n = max(float(table.sum()), 1.0)
    sides = (table.sum(axis=0), table.sum(axis=1))
    found = xlogy(table, table).sum() - sum(xlogy(side, side).sum() for side in sides)
    seen = (table > 0).sum() - sum((side > 0).sum() for side in sides) + 1
    return float(max((found + xlogy(n, n) - seen / 2) / n, 0.0))


def _tree(said: Floats) -> list[tuple[int, int]]:
    """Return (parent, child) of the tree that says most, from question 0 on (Prim 1957)."""
    best, parent, left = said[0].copy(), np.zeros(len(said), dtype=int), set(range(1, len(said)))
    edges = []
    while left:
        child = max(left, key=lambda one: best[one])
        left.remove(child)
        edges.append((int(parent[child]), child))
        closer = said[child] > best
        best[closer], parent[closer] = said[child][closer], child
    return edges


class _Tables:
    """How often the others gave an answer, for each row of `Counts` the answer of its category."""

    def __init__(self, columns: Columns, counts: Counts, yardstick: Mask) -> None:
        self.who, self.used = columns.who, yardstick[columns.who]
        self.rows = counts
        self.row = _examples(columns, counts)
        self.mine = yardstick[counts.who]
        self.alone: dict[_Asked, Floats] = {}
        n = np.where(yardstick, counts.judgments, 0.0)
        self.judgments = (n.sum() - n)[counts.who]

    def share(self, question: _Asked) -> Floats:
        """Return (P,) the share of the answer to this question."""
        found = self._said(question) + PRIOR
        return np.asarray(found / (self.judgments + PRIOR * question.size))

    def share_given(self, question: _Asked, known: _Asked) -> Floats:
        """Return (P,) the share of the answer to `question` among those with that to `known`."""
        both = known.answer * question.size + question.answer
        prior = PRIOR * question.size
        found = self._others(both, known.size * question.size) + prior * self.share(question)
        return np.asarray(found / (self._said(known) + prior))

    def tilts(self, height: Floats) -> Floats:
        """Return (len(TILTS), P) the factors of the shares; over the others their mean is 1."""
        return np.stack([self._tilt(np.exp(t * height)) for t in TILTS])

    def _tilt(self, factor: Floats) -> Floats:
        mine = np.bincount(self.who, factor * self.used, self.rows.people)
        whole = (mine.sum() - mine)[self.rows.who]
        alone = self.judgments == 0  # there are no others to be tilted
        return np.where(alone, 1.0, factor[self.row] * self.judgments / np.where(alone, 1.0, whole))

    def _said(self, question: _Asked) -> Floats:
        """Return (P,) how often the others gave the answer to this question."""
        if question not in self.alone:
            self.alone[question] = self._others(question.answer, question.size)
        return self.alone[question]

    def _others(self, number: Ints, size: int) -> Floats:
        """Return (P,) how often all yardsticks but oneself gave the number of the row."""
        whole = np.bincount(number, self.used, size)
        own = numbered(self.who * size + number)
        mine = np.bincount(own)[own[self.row]] * self.mine
        return np.asarray(whole[number[self.row]] - mine)


def _examples(columns: Columns, counts: Counts) -> Ints:
    """Return (P,) a judgment of each row of `Counts`: of its person, with its category."""
    category = categories(columns).category
    size = int(category.max(initial=0)) + 1
    example = np.empty(counts.who.size, dtype=np.int64)
    row = np.searchsorted(counts.who * size + counts.category, columns.who * size + category)
    example[row] = np.arange(category.size)
    return example


# Correlations within people, from "like all others" to "an individual style". One value alone is
# not safe: a large one takes everyone with varied answers for dice.
WITHIN = (0.001, 0.02, 0.05, 0.1, 0.2, 0.4)


class Patterns(Thresholds):
    """Answers at least `odds` times as probable from dice as from a person like the others.

    slips: the share of answers that careful people also give by mistake.
    per_combination: the least number of others' judgments per possible combination of answers, or
        of two questions' answers; with fewer, rare combinations of honest people look random.
    information: how much the others' answers in one judgment must say about each other, in nats per
        answer. Where criteria are unrelated, honest people look random.
    """

    odds: float = between(300, 2, 1e9)
    slips: float = between(0.1, 0.001, 0.9)
    per_combination: int = between(10, 10, 1000)
    information: float = between(0.05, 0.05, 10)
    minimum: int = between(8, 5, 1000)


def find_random(columns: Columns, own: Patterns, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose answers are `odds` times as probable from dice as from the others.

    Dice choose every answer with equal probability. A person like the others chooses categories
    (`crowd.categories`) with individual probabilities, Dirichlet-distributed about the others'
    shares, with the concentration that is most favourable to this person; in a share `slips` of
    answers, any answer is possible. If the shares were known, the ratio would stay below a
    martingale, so over all looks at most 1 / odds of such people would be flagged (Ville 1939).
    Annotators who are more probably random are then removed from the yardstick, and the computation
    is repeated; otherwise many random answerers would resemble each other.
    It runs only where others gave `per_combination` judgments for each possible combination (with
    fewer, their shares are uncertain; from as many for each combination of two questions on, shares
    come from pairs of questions, see `pairwise`), and where the information of their answers is at
    least `information`. value: log10 of the odds; threshold likewise. It needs no outputs judged
    twice.
    """
    found = crowd.categories(columns)
    counts = crowd.counts(columns, found)
    long_ = (columns.judgments >= own.minimum) & (columns.answers.shape[1] > 1)
    likelihood = np.bincount(columns.who, np.log(found.dice), columns.people.size)
    yardstick = crowd.varied(counts, limits)
    least = own.per_combination * min(found.possible, found.possible_pairs)
    related = own.information * columns.answers.shape[1]
    for _round in range(2):
        usual = _usual(columns, own, found, counts, yardstick)
        person = np.stack([_dirichlet_multinomial(counts, usual.shares, 1 / r - 1) for r in WITHIN])
        odds = (likelihood - person.max(axis=0)) / np.log(10)
        enough = long_ & crowd.large_enough(counts, yardstick, limits)
        enough &= (usual.judgments >= least) & (usual.information >= related)
        random = yardstick & long_ & (odds > 0)
        if not random.any():
            break
        yardstick = yardstick & ~random
    threshold = float(np.log10(own.odds))
    return finding(
        "random_answers",
        columns,
        evidence=odds,
        past=odds >= threshold,
        value=odds,
        threshold=threshold,
        n=columns.judgments,
        enough=enough,
        numbers={
            "correlation": np.array(WITHIN)[person.argmax(axis=0)],
            "others": usual.judgments,
            "others_needed": np.full(odds.size, float(least)),
            "information": usual.information,
            "information_needed": np.full(odds.size, related),
        },
    )


@dataclass(frozen=True, eq=False)
class _Usual:
    """The others. shares: (P,) of each row of `Counts`, slips included. The rest: (A,)."""

    shares: Floats
    judgments: Floats
    information: Floats


def _usual(
    columns: Columns, own: Patterns, found: Categories, counts: Counts, yardstick: Mask
) -> _Usual:
    """Return the others' shares, from all questions at once where they gave enough judgments."""
    others = crowd.of_others(counts, yardstick, found.unrelated)
    shares = others.times / np.maximum(others.judgments, 1)[counts.who]
    information = others.information
    counted = others.judgments >= own.per_combination * found.possible
    if found.possible_pairs < found.possible and not counted.all():
        paired = combined(columns, counts, yardstick)
        shares = np.where(counted[counts.who], shares, paired.shares)
        information = np.where(counted, information, paired.information)
    slipped = (1 - own.slips) * shares + own.slips * found.typical[counts.category]
    return _Usual(np.asarray(slipped), others.judgments, information)


def _dirichlet_multinomial(counts: Counts, shares: Floats, size: float) -> Floats:
    """Return (A,) the log probability of each annotator's sequence of categories."""
    parameter = shares * size
    cells = gammaln(parameter + counts.times) - gammaln(parameter)
    whole = gammaln(size) - gammaln(size + counts.judgments)
    return np.asarray(np.bincount(counts.who, cells, counts.people) + whole)


def _random_detail(said: Numbers) -> str:
    """Return the basis of the verdict, and why it compares no one yet."""
    numbers = {name: value or 0.0 for name, value in said.numbers.items()}
    text = f"From the combinations of answers in {many(said.n, 'judgment')}."
    if (needed := numbers.get("others_needed", 0.0)) > numbers.get("others", 0.0):
        there = count(int(numbers["others"]))
        return f"{text} They are compared once others gave {count(int(needed))}; so far {there}."
    if numbers.get("information_needed", 0.0) > numbers.get("information", 0.0):
        return f"{text} Here, answers to one question say too little about those to the others."
    return text


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


def _random_notice(found: Numbers, own: Patterns, *, paragraphs: bool) -> Told:
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
    found = crowd.categories(columns)
    counts = crowd.counts(columns, found)
    order = columns.turns
    who, category = columns.who[order], found.category[order]
    rate = ((found.typical + found.unrelated) / 2)[category]
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
    return finding(
        "answer_pattern",
        columns,
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


def _first_share(said: Numbers) -> float | None:
    """Return the share of the texts shown first, if it is the reason; None if a pattern is."""
    side, first = said.numbers.get("side"), said.numbers.get("first")
    if side is None or first is None or said.value is None:
        return None
    return first if side >= said.value else None


def _pattern_detail(said: Numbers) -> str:
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


def _pattern_notice(found: Numbers, own: SequenceThresholds, *, paragraphs: bool) -> Told:
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
