"""Low agreement: answers that agree less than usual with the others' on the same outputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.common.numbers import number
from annotate.screening import crowd
from annotate.screening.arrays import in_company, once, slopes
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
    within,
)
from annotate.screening.crowd import Code, Mask, beyond, coded, normal, ranked, usual_rows
from estimation.core import Floats, Ints, half_width, numbered

# The weight of "as all others" beside a person's own level, in judgments.
_LEVEL = 6.0
# The weight of "unrelated" beside the campaign's own correlations, in judgments.
_UNRELATED = 60.0
_TURNING = 2  # kinds of directions that the order of verdicts has: it can be upside down


def apart(columns: Columns, yardstick: Mask | None = None) -> tuple[Floats, Ints, Mask]:
    """Return what answers say, less a person's level, in directions that are unrelated.

    That is (T, D), with (D,) which directions are alike, and (D,) which of them say the opposite
    when answers are upside down.

    A person's level says nothing about a text, and neither does how much two criteria always go
    together: an answer that follows from the one beside it is not a second opinion. So the criteria
    are turned to their principal components, each of variance 1. Of paragraphs, which have no
    names, the mean of a judgment is one direction, and the differences from it are the others; and
    so is what verdicts say beyond their order.

    yardstick: (A,) whose answers say what is usual; by default everybody's. Who always gives one
    answer would make the others' answers look extreme, and criteria look alike.
    """
    usual = usual_rows(columns, yardstick)
    blocks = [_criteria(columns, usual)]
    if columns.verdicts is not None:
        blocks += [part for code in (ranked, beyond) for part in _verdicts(columns, usual, code)]
    first = blocks[0].shape[1]
    kinds = [np.arange(first), *(np.full(b.shape[1], first + k) for k, b in enumerate(blocks[1:]))]
    every = np.concatenate(kinds)
    return np.column_stack(blocks), every, every < first + _TURNING


def _criteria(columns: Columns, usual: Mask) -> Floats:
    """Return (T, C) the answers that have names, of which the ratings are made unrelated."""
    asked = len(columns.scores)
    named = columns.answers[:, : asked + (columns.plausible is not None)]
    z = np.empty(named.shape)
    for column in range(named.shape[1]):
        z[:, [column]] = _beyond_level(columns, coded(named[:, [column]], usual, normal))
    if asked > 1 and np.isfinite(z[:, :asked]).all():
        z[:, :asked] = _decorrelated(z[:, :asked], usual)
    return z


def _verdicts(columns: Columns, usual: Mask, code: Code) -> tuple[Floats, Floats]:
    """Return (T, P) what differs from the mean of a judgment, and (T, 1) the mean."""
    assert columns.verdicts is not None
    z = _beyond_level(columns, coded(columns.verdicts, usual, code))
    mean, rest = _mean_and_rest(z - _usual_of_place(z[usual]), usual)
    return rest, mean[:, None]


def _beyond_level(columns: Columns, z: Floats) -> Floats:
    return np.asarray(z - _level(columns, z)[columns.who][:, None])


def _level(columns: Columns, z: Floats) -> Floats:
    """Return (A,) the mean of each person's answers of one kind, nearer 0 the fewer there are."""
    people, there = columns.people.size, np.isfinite(z)
    total = np.bincount(columns.who, np.where(there, z, 0.0).sum(axis=1), people)
    answers = np.bincount(columns.who, there.sum(axis=1), people)
    n = np.bincount(columns.who, there.any(axis=1), people)
    return np.asarray(total / np.maximum(answers, 1) * n / (n + _LEVEL))


def _decorrelated(z: Floats, usual: Mask) -> Floats:
    """Return the principal components, each of variance 1; while data are few, nearly z itself."""
    own = z if usual.all() else z[usual]
    spread = (own**2).sum() / max(own.size, 1)
    if spread == 0:
        return z
    shared = (own.T @ own + _UNRELATED * spread * np.eye(z.shape[1])) / (len(own) + _UNRELATED)
    values, vectors = np.linalg.eigh(shared)
    return np.asarray(z @ (vectors / np.sqrt(np.maximum(values, 1e-3 * spread))))


def _usual_of_place(z: Floats) -> Floats:
    """Return (P,) the mean of each paragraph, nearer 0 the fewer there are.

    What is found first often says more; whoever knows that has not read it.
    """
    there = np.isfinite(z)
    return np.asarray(np.where(there, z, 0.0).sum(axis=0) / (there.sum(axis=0) + _UNRELATED))


def _mean_and_rest(z: Floats, usual: Mask) -> tuple[Floats, Floats]:
    """Return (T,) means, and (T, P) differences from them; usual ones have variance 1, or 0."""
    there = np.isfinite(z)
    n = there.sum(axis=1)
    known = n > 0
    mean = np.where(known, np.where(there, z, 0.0).sum(axis=1) / np.maximum(n, 1), np.nan)
    rest = z - mean[:, None]
    whole = mean * np.sqrt(n)
    own = known & usual
    spread = np.nansum(rest[own] ** 2) / max(float((n[own] - 1).sum()), 1.0)
    wide = np.nansum(whole[own] ** 2) / max(float(own.sum()), 1.0)
    return whole / np.sqrt(max(wide, 1e-9)), rest / np.sqrt(max(spread, 1e-9))


ROUNDS = 6  # how often people are believed anew
# The shares of people who are careful, do not look, and answer upside down, before anybody is
# compared, and their weight in people.
KINDS, FIRST = (0.8, 0.14, 0.06), 20.0
UPSIDE_DOWN = KINDS[2] / (KINDS[1] + KINDS[2])  # of careless people
_TURNS = 3  # how often the shares are learned anew in a round
# The weight of "unrelated" beside the campaign's own agreement, in comparisons.
_UNRELATED = 60.0
_LEAST_LEFT = 0.1  # of the variance, which no other answer explains
_MOST = 0.9  # of the variance, which careful people can have in common


@dataclass(frozen=True, eq=False)
class SameOutputs:
    """What S judgments of outputs that several people judged say in each direction.

    rows: (S,) which judgments. who: (S,) whose.
    judgment: (E,) which of the S says something in a direction in which somebody else does so of
        the same output. group: (E,) output and direction. z: (E,) what it says.
    kind: (E,) which directions are alike, 0 to K - 1. turning: (E,) whether it is the opposite when
        answers are upside down. directions: (K,) how many are alike.
    """

    rows: Ints
    who: Ints
    judgment: Ints
    group: Ints
    z: Floats
    kind: Ints
    turning: Mask
    directions: Ints

    @classmethod
    def of(cls, columns: Columns, yardstick: Mask | None = None) -> SameOutputs:
        said, kinds, turning = apart(columns, yardstick)
        rows = np.flatnonzero(in_company(columns.text))
        direction, judgment = np.nonzero(np.isfinite(said[rows]).T)
        group = numbered(columns.text[rows[judgment]] * kinds.size + direction)
        more = np.flatnonzero(in_company(group))
        judgment, direction = judgment[more], direction[more]
        return cls(
            rows,
            columns.who[rows],
            judgment,
            group[more],
            said[rows[judgment], direction],
            kinds[direction],
            turning[direction],
            np.bincount(kinds),
        )

    def of_others(self, values: Floats) -> Floats:
        """Return (E,) the sums of all others' values (E,) in a direction of the same output."""
        return np.asarray(np.bincount(self.group, values)[self.group] - values)

    def of_judgments(self, values: Floats) -> Floats:
        """Return (S,) the sums of values (E,) over the directions."""
        return np.asarray(np.bincount(self.judgment, values, self.who.size))

    def of_people(self, values: Floats, people: int) -> Floats:
        """Return (people,) the sums of values (S,)."""
        return np.asarray(np.bincount(self.who, values, people))


@dataclass(frozen=True, eq=False)
class Ratios:
    """What each judgment says of its person; (S,) each.

    unseen, mirrored: natural logarithms of how much likelier it is of somebody who does not look,
        and of somebody who answers upside down, than of somebody careful.
    x, v: the sums over the directions of z · guess and guess², where the guess is what the others
        say. shared: whether somebody who is believed judged the same.
    """

    unseen: Floats
    mirrored: Floats
    x: Floats
    v: Floats
    shared: Mask


def ratios(same: SameOutputs, belief: Floats, *, cautious: bool = False) -> Ratios:
    """Compare each judgment with what the others say; belief: (S,) how far each counts, -1 to 1.

    The guess is the best linear one (BLUP) from the others' answers: they are correlated with one's
    own, and with each other, as far as they are believed. cautious: take the agreement to be one
    standard error lower. A campaign that has just begun does not show it well, and where it is
    taken for high, careful people soon look careless.
    """
    own = belief[same.judgment]
    # Where there is no other side, who answers upside down counts like somebody careful.
    own = np.where(same.turning, own, np.abs(own))
    total, weight, fourth = (
        same.of_others(each) for each in (own * same.z, own**2, own**4)
    )  # of the others, each as far as it counts
    share = _agreement(same, own, total, weight, cautious=cautious)[same.kind]
    spread = weight + share * (weight**2 - fourth)
    factor = share * weight / np.where(spread > 0, spread, 1.0)
    guess, explained = factor * total, share * weight * factor
    left = np.maximum(1 - explained, _LEAST_LEFT)
    product, square = same.z * guess, guess**2
    odds = (square + same.z**2 * explained - 2 * product) / (2 * left) + np.log(left) / 2
    rest = same.of_judgments((np.sign(own) * product - square) / left)
    more = _overdispersion(rest, same.of_judgments(square / left), belief)
    return Ratios(
        same.of_judgments(odds) / more,
        same.of_judgments(np.where(same.turning, -2 * product / left, 0.0)) / more,
        same.of_judgments(product),
        same.of_judgments(square),
        same.of_judgments(weight) > 0,
    )


def _agreement(
    same: SameOutputs, own: Floats, total: Floats, square: Floats, *, cautious: bool
) -> Floats:
    """Return (K,) the correlation of two careful people's answers, by kind of direction."""
    kinds = same.directions.size
    judgments = same.who.size
    at = same.kind * judgments + same.judgment
    product, weight = (
        np.bincount(at, own * part, kinds * judgments).reshape(kinds, judgments)
        for part in (same.z * total, own * square)
    )
    whole, found = weight.sum(axis=1), product.sum(axis=1)
    known = np.where(whole > 0, whole, 1.0)
    error: float | Floats = 0.0
    if cautious:
        residual = product - (found / known)[:, None] * weight
        error = np.sqrt((residual**2).sum(axis=1)) / known
    near = found / (known + _UNRELATED * same.directions)
    return np.asarray(np.where(whole > 0, np.clip(near - error, 0.0, _MOST), 0.0))


def _overdispersion(rest: Floats, expected: Floats, belief: Floats) -> float:
    """Return how many times the expected variance the sum over the directions has, at least 1.

    Directions are not unrelated in all respects: who misreads a text does so in many of them.
    """
    weight = belief**2
    return max(1.0, float(rest**2 @ weight) / max(float(expected @ weight), 1e-12))


def believed(same: SameOutputs, yardstick: Mask) -> Floats:
    """Return (S,) how far each judgment counts: how likely it is careful, less upside down.

    It is how likely that is of the person by all *other* outputs, so nobody is believed, or not,
    for what they say of the very output that is compared. Who is no yardstick (A,) counts nothing.
    """
    count = yardstick[same.who].astype(np.float64)
    compared = yardstick & (same.of_people(count, yardstick.size) > 0)
    belief, shares = count, np.array(KINDS)
    for _round in range(ROUNDS):
        found = ratios(same, belief)
        each = np.stack([np.zeros_like(count), found.unseen, found.mirrored])
        people = np.stack([same.of_people(kind, yardstick.size) for kind in each])
        shares = _shares(people[:, compared])
        careful, _unseen, mirrored = _likely(people[:, same.who] - each, shares)
        belief = count * (careful - mirrored)
    return belief


def _shares(people: Floats) -> Floats:
    """Return (3,) the shares of the kinds; people: (3, A) logarithms of how likely each is one."""
    shares = np.array(KINDS)
    for _round in range(_TURNS):
        seen = _likely(people, shares).sum(axis=1) + FIRST * np.array(KINDS)
        shares = seen / seen.sum()
    return shares


def _likely(logarithms: Floats, shares: Floats) -> Floats:
    """Return (3, N) the probabilities of the kinds, by what speaks for each and their shares."""
    each = logarithms + np.log(shares)[:, None]
    return np.asarray(np.exp(each - np.logaddexp.reduce(each, axis=0)))


def careless(unseen: Floats, mirrored: Floats) -> Floats:
    """Return the natural logarithm of how much likelier one of both is than somebody careful."""
    return np.asarray(
        np.logaddexp(unseen + np.log(1 - UPSIDE_DOWN), mirrored + np.log(UPSIDE_DOWN))
    )


# The weight of the campaign's usual spread beside an annotator's own, in comparisons.
_PRIOR = 8.0
_MANY = 20  # people who must remain as a yardstick of agreement


class AgreementThresholds(Thresholds):
    """Agreement below `threshold`, where 0 is chance and 1 is usual in the campaign."""

    threshold: float = between(0.5, 0, 0.9)
    level: float = between(0.99, 0.6, 0.99999)
    minimum: int = between(8, 8, 1000)


def find(columns: Columns, own: AgreementThresholds, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose agreement is below `threshold` with confidence; 0 is chance, 1 usual.

    Answers become standardised scores z of their column, less the person's level, in directions
    that are unrelated (`apart`). They are ordinal and centred, so chance gives 0 whatever a
    person's own base rates are. For each output that others judged too, v = sum of guess² over the
    directions, where the guess is what careful people would say given the others' answers, and x =
    sum of z · guess. An output on which the others are undecided has a small v and little
    influence. Agreement is sum x / sum v, divided by the same for all other annotators' rows. The
    interval uses t, with a spread moderated by the campaign's. The evidence is the logarithm of how
    much likelier the answers are of somebody careless than of somebody careful (`likelihood`).
    """
    people = columns.people.size
    counts = crowd.counts(columns)
    yardstick = crowd.varied(counts, limits)
    same, seen = _seen(columns, limits)
    who, odds = same.who, _odds(same, seen, people)
    n = np.bincount(who[seen.shared], minlength=people)
    slope, usual, _evidence = slopes(who, seen.x, seen.v, _near(odds, yardstick))
    half = _half_width(who, slope, seen, own.level) / usual
    value = slope / usual
    enough = (n >= own.minimum) & np.isfinite(value)
    enough &= crowd.large_enough(counts, yardstick, limits)
    return ScreenFinding(
        "low_agreement",
        columns.people,
        evidence=odds / np.log(10),
        past=value + half < own.threshold,
        value=value,
        low=value - half,
        high=value + half,
        threshold=own.threshold,
        n=n,
        enough=enough,
        numbers={"agreement": slope, "usual_agreement": usual},
    )


@once
def _believed(columns: Columns, limits: CrowdThresholds) -> tuple[SameOutputs, Floats]:
    yardstick = crowd.varied(crowd.counts(columns), limits)
    same = SameOutputs.of(columns, yardstick)
    return same, believed(same, yardstick)


@once
def _seen(columns: Columns, limits: CrowdThresholds) -> tuple[SameOutputs, Ratios]:
    same, said = _believed(columns, limits)
    return same, ratios(same, said, cautious=True)


def belief(columns: Columns, limits: CrowdThresholds) -> Floats:
    """Return (T,) how far each judgment counts where others are compared with it, -1 to 1.

    Below 0 counts the other way round; 1 where nobody else judged the same.
    """
    same, said = _believed(columns, limits)
    found = np.ones(len(columns.who))
    found[same.rows] = said
    return found


def unseen(columns: Columns, limits: CrowdThresholds) -> Floats:
    """Return (T,) how much likelier each judgment is of somebody who does not look.

    Natural logarithms of likelihood ratios to somebody careful; 0 where nobody else judged.
    """
    same, seen = _seen(columns, limits)
    found = np.zeros(len(columns.who))
    found[same.rows] = seen.unseen
    return found


def _odds(same: SameOutputs, seen: Ratios, people: int) -> Floats:
    """Return (A,) natural logarithms: how much likelier each person is careless than careful."""
    return careless(*(same.of_people(part, people) for part in (seen.unseen, seen.mirrored)))


def _near(odds: Floats, yardstick: crowd.Mask) -> crowd.Mask:
    """Return (A,) with whom a person's agreement is compared: who is likelier careful."""
    near = yardstick & (odds < 0)
    return near if near.sum() >= _MANY else yardstick


def _half_width(who: Ints, slope: Floats, seen: Ratios, level: float) -> Floats:
    """Return (A,) the half-width of each slope, its spread moderated by all, in proportion to v.

    A few outputs on which the others are far from the middle make up most of the sum, and vary the
    most. The degrees of freedom are those of an equivalent number of equal comparisons.
    """
    people, v = slope.size, seen.v
    residual = np.where(seen.shared, seen.x - slope[who] * v, 0.0)
    squares, total, total_squares = (
        np.bincount(who, part, people) for part in (residual**2, v, v**2)
    )
    equal = total**2 / np.where(total_squares > 0, total_squares, np.nan)
    usual = residual @ residual / max(float(v.sum()), 1e-12)
    variance = (equal * squares + _PRIOR * usual * total) / (equal + _PRIOR)
    # One-sided at `level`: only the upper end decides.
    half = half_width(np.sqrt(variance), equal + _PRIOR - 1, level=2 * level - 1)
    return np.asarray(half / np.where(total > 0, total, np.nan))


FOR_REVIEWERS = ForReviewers(
    "Low agreement",
    "agreement with others",
    "agreement with others",
    big=lambda said: number(said.value),
    detail=lambda said: f"{within(said, number)}0 is chance, 1 what is usual here.",
    limit=lambda said: f"Flagged if certainly below {number(said.threshold)}.",
    axis=lambda values: ScreenAxis(
        min(-0.5, *values), max(1.5, *values), number, flags_above=False
    ),
)


def _notice(found: Verdict, own: AgreementThresholds, *, paragraphs: bool) -> NoticeText:
    sentences = []
    if found.value is not None:
        said = _(
            "On a scale where 0 is chance and 1 is how far people here usually agree, yours is "
            "%(value)s."
        )
        sentences.append(said % {"value": number(found.value)})
    limit = _("We look at work whose agreement is clearly below %(threshold)s.")
    sentences.append(limit % {"threshold": number(own.threshold)})
    return _("Your answers rarely match those of other people for the same texts"), sentences


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("answers that rarely go with other people’s"), _notice)


LOW_AGREEMENT = Screen(
    "low_agreement",
    "agreement",
    AgreementThresholds,
    find,
    FOR_REVIEWERS,
    FOR_ANNOTATORS,
    ratio=True,
)
