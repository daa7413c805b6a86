"""Cut-offs from the campaign itself: honest people like its own are simulated, and screened.

A parametric bootstrap: honest people like the campaign's are simulated in its own tasks, beside as
many careless ones as it seems to have, and screened at several looks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.special import ndtri

from annotate.screening import crowd
from annotate.screening.agreement import belief, kinds_of_people
from annotate.screening.arrays import in_company, products
from annotate.screening.base import Columns, CrowdThresholds, Cutoffs, early, taken
from annotate.screening.crowd import Mask
from annotate.screening.screens import SCREENS, Settings, findings, measured
from annotate.screening.speed import fastest
from estimation.core import Floats, Ints, distinct, numbered

ITEM, PERSON = 0.3, 0.12  # usual shares of the latent variance
WEIGHT = 60.0  # pairs of judgments, and 20 people, weigh as much as the usual shares
LEAST_PERSON, MOST = 0.06, 0.9


@dataclass(frozen=True, eq=False)
class LatentQuestion:
    """One kind of question: its levels, the latent values between them, and its variance shares."""

    levels: Floats
    cuts: Floats
    item: float
    person: float


@dataclass(frozen=True, eq=False)
class Contributions:
    """(T, C) each: what the output, the person and chance contribute; mean 0, variance 1."""

    item: Floats
    person: Floats
    rest: Floats


@dataclass(frozen=True, eq=False)
class Answering:
    """kinds: by the number in `Columns.kinds`. mixing: (C, C) a root of the correlations."""

    kinds: dict[int, LatentQuestion]
    mixing: Floats

    @classmethod
    def fitted(cls, columns: Columns, usable: NDArray[np.bool_], belief: Floats) -> Answering:
        """Return the model of the usable people's judgments; usable: (A,).

        belief: (T,) how far each judgment is of somebody careful, below 0 if it is upside down.
        """
        rows = usable[columns.who]
        answers, who = columns.answers[rows], columns.who[rows]
        output = columns.output[rows]
        z = np.full(answers.shape, np.nan)
        attenuation = np.ones(answers.shape[1])
        kinds = {}
        for kind in distinct(columns.kinds).tolist():
            at = columns.kinds == kind
            z[:, at], attenuation[at], levels, cuts = _standardised(answers[:, at])
            fade = float(attenuation[at][0])
            item = _item_share(z[:, at], output, belief[rows]) / fade
            person = _person_share(z[:, at], who, columns.people.size) / fade
            item, person = _together(item, person)
            kinds[kind] = LatentQuestion(levels, cuts, item, person)
        return cls(kinds, _mixing(z, attenuation, columns.kinds))

    def reasons(self, columns: Columns, rng: Generator) -> Contributions:
        """Return new reasons for answers to the same questions."""
        output = np.unique(columns.output, return_inverse=True)[1]
        size = (int(output.max(initial=-1)) + 1, columns.people.size, output.size)
        item, person, rest = (
            rng.standard_normal((n, len(columns.kinds))) @ self.mixing.T for n in size
        )
        return Contributions(item[output], person[columns.who], rest)

    def careful(self, reasons: Contributions, look: Floats, rng: Generator) -> Contributions:
        """Return the reasons of the same people if they had looked; look: (T,), as in `answers`.

        Who does not look says nothing of what they would have said, and who answers upside down
        says the opposite.
        """
        same = np.clip(look, -1, 1)[:, None]
        rest = rng.standard_normal(reasons.rest.shape) @ self.mixing.T
        return replace(reasons, rest=same * reasons.rest + np.sqrt(1 - same**2) * rest)

    def answers(self, columns: Columns, reasons: Contributions, look: Floats) -> Floats:
        """Return (T, C) answers for these reasons; paragraphs end where they end.

        look: (T,) 1 of people who look at the output as usual, more if they look better, 0 if they
        do not, and below 0 of people who answer upside down.
        """
        found = np.empty(reasons.rest.shape)
        for column, kind in enumerate(columns.kinds.tolist()):
            own = self.kinds[kind]
            most = np.sqrt(1 - own.person)
            follows = np.clip(np.sqrt(own.item) * look, -most, most)
            latent = follows * reasons.item[:, column]
            latent += np.sqrt(own.person) * reasons.person[:, column]
            latent += np.sqrt(np.maximum(1 - own.person - follows**2, 0)) * reasons.rest[:, column]
            found[:, column] = own.levels[np.searchsorted(own.cuts, latent)]
        return found


def _standardised(block: Floats) -> tuple[Floats, float, Floats, Floats]:
    """Return z, how far few levels fade its correlations, the levels, and the cuts between them."""
    there = np.isfinite(block)
    levels, which, n = np.unique(block[there], return_inverse=True, return_counts=True)
    z = np.full(block.shape, np.nan)
    if levels.size < 2:
        z[there] = 0.0
        return z, 1.0, levels if levels.size else np.zeros(1), np.empty(0)
    rank = (np.cumsum(n) - (n - 1) / 2)[which]
    z[there] = (rank - rank.mean()) / rank.std()
    share = n / n.sum()
    cuts = ndtri(np.cumsum(share)[:-1])
    density = np.r_[0, np.exp(-(cuts**2) / 2) / np.sqrt(2 * np.pi), 0]
    score = np.zeros(levels.size)
    score[which] = z[there]
    return z, float(np.clip((score @ -np.diff(density)) ** 2, 0.2, 1.0)), levels, cuts


def _item_share(z: Floats, output: Ints, belief: Floats) -> float:
    """Return the correlation of two careful people's answers on one output, nearer the usual one.

    Two people agree as far as both are believed: those who do not look would make the honest
    people that are simulated disagree as much as the campaign does.
    """
    place = np.unique(output, return_inverse=True)[1]
    product = pairs = 0.0
    for column in z.T:
        said, weight = belief * np.nan_to_num(column), belief**2 * np.isfinite(column)
        product += products(said, place)
        pairs += products(weight, place)
    return float(np.clip((product + ITEM * WEIGHT) / (pairs + WEIGHT), 0.02, MOST))


def _person_share(z: Floats, who: Ints, people: int) -> float:
    """Return the correlation of a person's answers on two outputs, shrunk, and rather too large."""
    filled, there = np.nan_to_num(z), np.isfinite(z).astype(np.float64)
    product, pairs = np.zeros(people), np.zeros(people)
    for column, known in zip(filled.T, there.T, strict=True):
        total, n = np.bincount(who, column, people), np.bincount(who, known, people)
        product += total**2 - np.bincount(who, column**2, people)
        pairs += n * (n - 1)
    whole = max(float(pairs.sum()), 1.0)
    share = float(product.sum()) / whole
    error = float(np.sqrt(((product - share * pairs) ** 2).sum())) / whole
    active = int((pairs > 0).sum())
    near = (active * (share + error) + 20 * PERSON) / (active + 20)
    return float(np.clip(near, LEAST_PERSON, MOST))


def _together(item: float, person: float) -> tuple[float, float]:
    """Return both shares, with a little left for chance."""
    shrink = min(1.0, 0.95 / (item + person))
    return item * shrink, person * shrink


def _mixing(z: Floats, attenuation: Floats, kinds: Ints) -> Floats:
    """Return a root of the correlations of the questions; paragraphs are correlated alike."""
    filled, there = np.nan_to_num(z), np.isfinite(z).astype(np.float64)
    both = there.T @ there
    found = (filled.T @ filled) / (both + WEIGHT)
    found /= np.sqrt(np.outer(attenuation, attenuation))
    for one in distinct(kinds):
        for other in distinct(kinds):
            block = np.ix_(kinds == one, kinds == other)
            weight = both[block] * (~np.eye(len(kinds), dtype=bool))[block]
            if weight.sum() > 0:
                found[block] = (found[block] * weight).sum() / weight.sum()
    found = np.clip(found, -0.95, 0.95)
    np.fill_diagonal(found, 1.0)
    values, vectors = np.linalg.eigh(found)
    root = vectors * np.sqrt(np.maximum(values, 1e-6))
    return np.asarray(root / np.sqrt((root**2).sum(axis=1, keepdims=True)))


_LEAST_EFFECTS = 0.3  # of people's logarithms, while few people are known
_FEW = 5.0  # judgments that weigh as much as the others' mean


@dataclass(frozen=True, eq=False)
class Logs:
    """Logarithms of times or of sizes of edits: a line of x + person + residual.

    Tasks of each kind have a line (K, 2) of their own, intercept and slope, and residuals. Who is
    fast in one kind is as fast in the other. people, residuals: what occurred.
    """

    lines: Floats
    people: Floats
    residuals: tuple[Floats, ...]

    @classmethod
    def fitted(cls, who: Ints, x: Floats, y: Floats, kind: Ints | None = None) -> Logs:
        """Return the model of logarithms y (n,) on x (n,), by person.

        kind: (n,) 0 to K - 1, None if all are alike.
        """
        kind = np.zeros(y.size, dtype=np.int64) if kind is None else kind
        kinds = [kind == k for k in range(int(kind.max(initial=0)) + 1)]
        lines = np.array([_line(x[part], y[part]) for part in kinds])
        rest = y - lines[kind, 0] - lines[kind, 1] * x
        _people, at, n = np.unique(who, return_inverse=True, return_counts=True)
        effect = np.bincount(at, rest) / (n + _FEW)
        residuals = tuple(_or_none((rest - effect[at])[part]) for part in kinds)
        return cls(lines, _or_none(effect), residuals)

    def drawn(
        self, who: Ints, people: int, x: Floats, rng: Generator, kind: Ints | None = None
    ) -> Floats:
        """Return (T,) new values, not logarithms.

        kind: (T,) as fitted, None if all are alike; a kind that was not fitted is like the first.
        """
        given = np.zeros(who.size, dtype=np.int64) if kind is None else kind
        kind = np.where(given < len(self.lines), given, 0)
        intercept, slope = self.lines[kind].T
        rest = np.choose(kind, [rng.choice(each, who.size) for each in self.residuals])
        few = _LEAST_EFFECTS / np.sqrt(1 + self.people.size / 20)
        effect = rng.choice(self.people, people) + few * rng.standard_normal(people)
        return np.asarray(np.exp(intercept + slope * x + effect[who] + rest))


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Return the intercept, from which half of y (n,) are above the line, and the slope."""
    if y.size < 2:
        return (float(y.mean()) if y.size else 0.0), 0.0
    spread = float(x.var())
    slope = float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread > 0 else 0.0
    return float(np.median(y - slope * x)), slope


def _or_none(values: Floats) -> Floats:
    return values if values.size else np.zeros(1)


ENDED = 20  # so many tasks that ended early have a model of their own


@dataclass(frozen=True, eq=False)
class Honest:
    """What honest people of a campaign do.

    times: of tasks with all parts, and of those that ended before their paragraphs, as two kinds.
    edits: the size of edits on how bad the answers are. required: whether the best answers alone
        need no edit, as in the campaign.
    """

    answering: Answering
    times: Logs
    edits: Logs | None

    @classmethod
    def fitted(cls, columns: Columns, usable: NDArray[np.bool_], belief: Floats) -> Honest:
        """Return the model of the usable people; usable: (A,), belief: (T,), see `Answering`."""
        rows = usable[columns.who]
        words = np.log(np.maximum(columns.words, 1))
        seconds = np.log(np.maximum(columns.seconds, 0.01))
        part = rows & np.isfinite(seconds)
        ended = _ended(columns)[part]
        kind = ended.astype(np.int64) if ended.sum() >= ENDED else None
        times = Logs.fitted(columns.who[part], words[part], seconds[part], kind)
        edits = None
        if columns.edit_distance is not None:
            part = rows & np.isfinite(columns.edit_distance)
            size = np.log(np.maximum(columns.edit_distance[part], 1))
            edits = Logs.fitted(columns.who[part], _badness(columns, columns.answers)[part], size)
        return cls(Answering.fitted(columns, usable, belief), times, edits)

    def campaign(self, columns: Columns, looking: Floats, rng: Generator) -> Columns:
        """Return new work on the same tasks by as many people.

        looking: (A,) 1 for people who look at the output as usual, 0 who do not, -1 who answer
        upside down. These are like honest people in everything else: they edit what is really bad.
        """
        reasons, look = self.answering.reasons(columns, rng), looking[columns.who]
        answers = self.answering.answers(columns, reasons, look)
        made = answered(columns, answers, rng)
        people, x = made.people.size, np.log(np.maximum(made.words, 1))
        seconds = self.times.drawn(made.who, people, x, rng, _ended(made).astype(np.int64))
        made = replace(made, seconds=np.maximum(seconds, fastest(made)))
        if self.edits is None:
            return made
        careful = self.answering.careful(reasons, look, rng)
        seen = self.answering.answers(columns, careful, np.ones(len(look)))
        size = np.ceil(self.edits.drawn(made.who, people, _badness(columns, seen), rng))
        needed = made.answers.min(axis=1, initial=np.inf) < max(columns.levels)
        if not made.answers.shape[1] and columns.edit_distance is not None:
            needed = np.isfinite(columns.edit_distance)
        return replace(
            made,
            edit_distance=np.where(needed, np.maximum(size, 1), np.nan),
            edit_text=np.where(needed, np.arange(size.size), -1),
        )


def answered(columns: Columns, answers: Floats, rng: Generator) -> Columns:
    """Return the columns with other answers, and the words that these require reading."""
    count = len(columns.scores)
    scores = dict(zip(columns.scores, answers[:, :count].T, strict=True))
    if columns.plausible is None or columns.verdicts is None:
        return replace(columns, scores=scores, highlights=None)
    plausible = answers[:, count]
    ended = columns.plausible == 0
    there = np.isfinite(columns.verdicts)
    # How many paragraphs and words a task has is known only where the answer required them.
    source = np.arange(ended.size)
    known = np.flatnonzero(~ended)
    if known.size:
        source = np.where(ended, rng.choice(known, ended.size), source)
    verdicts = np.where(there[source], answers[:, count + 1 :], np.nan)
    verdicts[plausible == 0] = np.nan
    short = columns.words[ended] if ended.any() else np.array([float(columns.words.min())])
    words = np.where(plausible == 0, rng.choice(short, ended.size), columns.words[source])
    return replace(
        columns,
        scores=scores,
        plausible=plausible,
        verdicts=verdicts,
        words=words,
        highlights=None,
    )


def _ended(columns: Columns) -> NDArray[np.bool_]:
    if columns.plausible is None:
        return np.zeros(len(columns.who), dtype=bool)
    return np.asarray(columns.plausible == 0)


def _badness(columns: Columns, answers: Floats) -> Floats:
    """Return (T,) how far the ratings among the answers (T, C) are from the best, 0 to 1."""
    if not columns.scores:
        return np.zeros(len(answers))
    best, worst = max(columns.levels), min(columns.levels)
    return np.asarray(
        (best - answers[:, : len(columns.scores)].mean(axis=1)) / max(best - worst, 1e-9)
    )


PARTS = 3  # thirds of the people, in the order of a habit
FEW = 10.0  # people who weigh as much as those who are seen


def parts(columns: Columns) -> Ints:
    """Return (A, H) which third of the people each is of, by each habit, 0 to 2.

    The habits: the level of the answers, the time of tasks, and the size of edits.
    """
    habits = [columns.answers, np.log(np.maximum(columns.seconds, 0.01))]
    if columns.edit_distance is not None:
        habits.append(np.log(np.maximum(columns.edit_distance, 1)))
    return np.column_stack([_thirds(_means(columns, habit)) for habit in habits])


def _means(columns: Columns, values: Floats) -> Floats:
    """Return (A,) the mean of each person's values that are known; the mean of all without any."""
    rows = values.reshape(len(columns.who), -1)
    there, people = np.isfinite(rows), columns.people.size
    total = np.bincount(columns.who, np.where(there, rows, 0.0).sum(axis=1), people)
    n = np.bincount(columns.who, there.sum(axis=1), people)
    return np.where(n > 0, total / np.maximum(n, 1), total.sum() / max(float(n.sum()), 1.0))


def _thirds(values: Floats) -> Ints:
    place = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return np.asarray(place * PARTS // max(place.size, 1))


def concentration(evidence: Floats, part: Ints, most: int) -> float:
    """Return how many times as often people of one third have the most evidence as people do.

    1 if all thirds have it alike, and 3 if one has it all. Few people show little of that.
    evidence: (A,). part: (A, H). most: how many people have the most of it.
    """
    first = np.argsort(-evidence, kind="stable")[:most]
    first = first[evidence[first] > 0]
    counts = np.stack([(part[first] == number).sum(axis=0) for number in range(PARTS)])
    return float(PARTS * (counts.max(initial=0) + FEW / PARTS) / (first.size + FEW))


TOP = 0.02  # the tail from which cut-offs beyond it are extrapolated
DECADE = 1 / np.log(10)  # how evidence falls off by chance
LEAST_RATIO = 0.5  # three times as likely of somebody careless


def tail(people: int) -> int:
    return max(5, int(TOP * people))


def least_cutoff(screen: str, share: float) -> float:
    """Return the least cut-off: that of one look by the nominal evidence, which may pass `share`.

    A likelihood ratio is rarer than its inverse; the simulation says how rare. It does not know
    how much more will be compared as the campaign goes on, so nobody is listed for less than that.
    """
    return LEAST_RATIO if SCREENS[screen].ratio else float(-np.log10(share))


def listing(screen: str, share: float) -> tuple[float, float]:
    """Return the least cut-off for listing, and how slowly evidence is taken to fall off."""
    return least_cutoff(screen, share), 0.0 if SCREENS[screen].ratio else DECADE


def cutoff(most: Floats, passing: float, least: float, decade: float) -> float:
    """Return the evidence that a share of the simulated people pass, and at least `least`.

    decade: the least mean by which evidence exceeds a high value that it passes. Only evidence
    above 0 says how it falls off: it may begin far above, and the gap says nothing.
    """
    ordered = np.sort(most)[::-1]
    if passing * ordered.size >= 10:
        return float(max(least, ordered[int(passing * ordered.size)]))
    top = ordered[: tail(ordered.size)]
    top = top[top > 0]
    if not top.size:
        return least
    excess = max(float((top - top[-1]).mean()), decade)
    return float(max(least, top[-1] + excess * np.log(top.size / ordered.size / passing)))


MOST_ROWS = 15_000  # of one simulated campaign
MOST_JUDGMENTS = 200  # of one simulated person
HORIZON = 25  # judgments up to which everybody's work is continued
MOST_COPIES = 6
LIKE = 8  # people whose numbers of tasks are taken to be alike
_STEADY = 8.0  # shared judgments that speak for as many in the second half as in the first


def sampled(columns: Columns, rng: Generator) -> Columns:
    """Return the work of some people of a large campaign, with as many shared outputs each."""
    if len(columns.who) <= MOST_ROWS:
        return columns
    each = np.minimum(columns.judgments, MOST_JUDGMENTS)
    people = rng.permutation(each.size)
    inside = np.zeros(each.size, dtype=bool)
    inside[people[np.cumsum(each[people]) <= MOST_ROWS]] = True
    rows = np.flatnonzero(inside[columns.who] & early(columns, MOST_JUDGMENTS))
    pairs = rng.permutation(np.flatnonzero(_shared(columns.output)[rows]))
    half = pairs.size // 2
    part = replace(taken(columns, rows), output=np.arange(rows.size))
    return _same_outputs(part, pairs[:half], pairs[half : 2 * half])


def growth(columns: Columns) -> float:
    """Return the power of all judgments that the shared ones grow with, 1 to 2.

    Where outputs are judged again at once, twice as many judgments share twice as many outputs. Who
    judges an output again may also come much later: half of a campaign then has a quarter of them.
    """
    first = np.argsort(columns.order, kind="stable")[: len(columns.who) // 2]
    half, whole = (_shared(output).sum() for output in (columns.output[first], columns.output))
    return float(np.clip(np.log2((whole + _STEADY) / (half + _STEADY / 2)), 1, 2))


def continued(columns: Columns, power: float, rng: Generator) -> Columns:
    """Return the work with what is to come: everybody's tasks again, up to the horizon.

    power: of all judgments, that the shared ones grow with. Who judges an output again may come
    later, so a campaign that has just begun has fewer comparisons than its tasks will have.
    """
    plan, later = _repeated(columns, rng)
    wanted = _shared(columns.output).sum() * (len(plan.who) / len(columns.who)) ** power
    shared = _shared(plan.output)
    alone = rng.permutation(np.flatnonzero(~shared))
    alone = alone[np.argsort(~later[alone], kind="stable")]  # those that come later first
    most = min((later & ~shared).sum(), alone.size // 2)
    pairs = int(np.clip((wanted - shared.sum()) / 2, 0, most))
    return _same_outputs(plan, alone[:pairs], alone[::-1][:pairs])


def _repeated(columns: Columns, rng: Generator) -> tuple[Columns, Mask]:
    """Return the work with everybody's tasks again, with other outputs, and (T,) which come later.

    Each time everybody goes on with the tasks of somebody who did about as many: who is compared
    with the same few people all along cannot be told from them.
    """
    now = len(columns.who)
    usual = max(min(np.median(columns.judgments), columns.judgments.mean()), 1.0)
    times = np.clip(HORIZON / usual, 1, min(MOST_COPIES, max(MOST_ROWS / now, 1)))
    copy, turn = np.divmod(np.arange(round(times * now)), now)
    rows = np.argsort(columns.order, kind="stable")[turn]
    who = np.stack([columns.who, *(_exchanged(columns, rng) for _ in range(copy[-1]))])
    plan = replace(
        taken(replace(columns, highlights=None), rows),
        annotator=columns.people[who[copy, rows]],
        output=columns.text[rows] + copy * (int(columns.text.max(initial=0)) + 1),
        order=np.arange(rows.size, dtype=np.float64),
    )
    return plan, copy > 0


def _exchanged(columns: Columns, rng: Generator) -> Ints:
    """Return (T,) who does the tasks, if people exchange theirs with others who did as many."""
    ranked = np.argsort(columns.judgments, kind="stable")
    near = np.argsort(np.argsort(ranked) + rng.uniform(0, LIKE, ranked.size))
    who = np.empty_like(near)
    who[ranked] = near
    return who[columns.who]


def _shared(output: Ints) -> Mask:
    """Return (T,) which judgments are of outputs that were judged more than once."""
    return in_company(numbered(output))


def _same_outputs(columns: Columns, one: Ints, other: Ints) -> Columns:
    """Return the work where some judgments are of the same outputs as some others, in pairs.

    Not where somebody would judge an output twice.
    """
    apart = columns.who[one] != columns.who[other]
    output = columns.output.copy()
    output[other[apart]] = output[one[apart]]
    return replace(columns, output=output)


LOOKING = (1.0, 0.0, -1.0)  # at the output; -1 is upside down
DRAWS = 4  # simulated campaigns on each of both sides
LEAST_SLOPE = 0.3  # of that line; where work shows little, it would be nearly level
MOST_CARELESS = 0.5  # of people, who may be careless


def shares(
    columns: Columns, model: Honest, plan: Columns, limits: CrowdThresholds, rng: Generator
) -> Floats:
    """Return (3,) the shares of people who are careful, do not look, and answer upside down.

    model: of the campaign's honest people. plan: its tasks, or those of some of its people.
    """
    learned = kinds_of_people(columns, limits)
    careful = _learned(np.array([1.0, 0.0, 0.0]), model, plan, limits, rng)
    beside = _learned(learned, model, plan, limits, rng)
    slope = np.clip((beside - careful) / learned, LEAST_SLOPE, 1.0)
    careless = np.maximum((learned - careful) / slope, 0.0)[1:]
    careless *= min(1.0, MOST_CARELESS / max(float(careless.sum()), MOST_CARELESS))
    return np.asarray(np.r_[1 - careless.sum(), careless])


def _learned(
    there: Floats, model: Honest, plan: Columns, limits: CrowdThresholds, rng: Generator
) -> Floats:
    """Return the mean of what is learned of simulated campaigns in which these shares are."""
    found = np.zeros(len(there))
    for _ in range(DRAWS):
        looking = rng.choice(LOOKING, plan.people.size, p=there)
        found += kinds_of_people(model.campaign(plan, looking, rng), limits)
    return found / DRAWS


BUT = 6  # one in so many of their answers is like other people's
SOME_UNIFORM = 0.1  # of the people of a simulated campaign
PEOPLE, MOST_UNIFORM_CAMPAIGNS = 60, 10  # simulated at least, unless that takes more than


def uniform(model: Honest, plan: Columns, settings: Settings, rng: Generator) -> Floats:
    """Return (N,) the evidence of `no_variation` on such people, beside honest ones."""
    found: list[Floats] = []
    while sum(map(len, found)) < PEOPLE and len(found) < MOST_UNIFORM_CAMPAIGNS:
        campaign = model.campaign(plan, np.ones(plan.people.size), rng)
        mine = np.zeros(plan.people.size, dtype=bool)
        mine[rng.permutation(mine.size)[: max(1, round(SOME_UNIFORM * mine.size))]] = True
        usual = mine[campaign.who] & (rng.random(len(campaign.who)) >= 1 / BUT)
        answers = np.where(usual[:, None], _usual_answers(campaign), campaign.answers)
        made = measured(SCREENS["no_variation"], answered(campaign, answers, rng), settings)
        found.append(made.evidence[mine])
    return np.concatenate(found)


def _usual_answers(columns: Columns) -> Floats:
    """Return (C,) the most frequent answers: to all questions with names together, and verdicts.

    Who gives these is hardest to tell from others, who give them often.
    """
    paragraphs = 0 if columns.verdicts is None else columns.verdicts.shape[1]
    named = columns.answers[:, : columns.answers.shape[1] - paragraphs]
    rows, n = np.unique(named, axis=0, return_counts=True)
    verdicts = columns.answers[:, named.shape[1] :]
    levels, times = np.unique(verdicts[np.isfinite(verdicts)], return_counts=True)
    verdict = levels[times.argmax()] if times.size else np.nan
    return np.concatenate([rows[n.argmax()], np.full(paragraphs, verdict)])


# Screens that no other one can replace get more of what the settings allow, and those that many
# people of one habit are near to get less.
SHARES = {
    "too_fast": 2.6,
    "low_agreement": 5.2,
    "own_consistency": 7.5,
    "no_variation": 3.0,
    "random_answers": 1.6,
    "answer_pattern": 0.4,
    "several_signs": 1.8,
}
# Who takes over the part of a screen that has nothing to go by, because it finds the same people:
# answers without a look at the output go neither with one's own edits nor with others' answers.
HEIRS = {"own_consistency": "low_agreement"}
# Who takes over what `no_variation` does not need: these find the fewest of whom they look for.
NEEDY = ("low_agreement", "own_consistency")
# Highlights are not simulated.
ASSUMED = {"thin_evidence": (2.5, 4.0)}


def allocated(active: Collection[str], settings: Settings, needed: float = 1.0) -> dict[str, float]:
    """Return the parts of the active screens; together at most 1.

    needed: the part of its own part with which `no_variation` finds whom it looks for.
    """
    # A screen that somebody switched off leaves its part to nobody.
    there = {*active, *settings.flags.off}
    found = {screen: _part(screen, there) for screen in active}
    whole = sum(_part(screen, there) for screen in NEEDY if screen in there)
    left = found.get("no_variation", 0.0) * (1 - needed)
    if not left or not whole:
        return found
    more = {screen: found[screen] * (1 + left / whole) for screen in NEEDY if screen in found}
    return found | more | {"no_variation": found["no_variation"] - left}


def _part(screen: str, there: Collection[str]) -> float:
    """Return a screen's part of those whom all screens may touch.

    there: those that keep their parts. Any other screen leaves its part to its heir, if it has one:
    a study that shows less of people's work also shows less of their carelessness, and screens of
    other things would take honest people for it.
    """
    others = [name for name in SCREENS if name not in ASSUMED]
    left = [name for name, heir in HEIRS.items() if heir == screen and name not in there]
    mine = sum(SHARES.get(name, 1.0) for name in (screen, *left))
    return mine / sum(SHARES.get(name, 1.0) for name in others)


HISTORIES = 2000  # simulated honest people at least, unless that takes more than
MOST_CAMPAIGNS = 40
LOOKS = 6
FEWER, FOUND = (1 / 8, 1 / 4, 1 / 2), 0.95  # parts of a share that may be enough, to find so many
UNEVEN = 1.25  # times as often as others, people of one habit may be touched
CARE = 0.1  # standard deviation of how much more or less than usual people follow the output
SUSPECT, SUSPECT_RATIO = 2.5, 1.0  # evidence from which a person is not taken for honest


def calibrated(columns: Columns, settings: Settings, *, seed: int = 0) -> Cutoffs:
    """Return the cut-offs for a campaign; the same columns and seed give the same.

    Where too few people work for anybody to be compared, nothing is simulated, and screens that
    compare nobody have their nominal cut-offs.
    """
    flags, found = settings.flags, dict(ASSUMED)
    if columns.people.size > settings.crowd.people:
        simulated = _simulated(columns, settings, default_rng([seed, len(columns.who)]))
        found |= _cutoffs(simulated, settings)
    rest = (-np.log10(flags.listed / 10), -np.log10(flags.paused / 10))
    return Cutoffs(found, (float(rest[0]), float(rest[1])))


@dataclass(frozen=True, eq=False)
class MostEvidence:
    """The most evidence of simulated people, at any look.

    most: by screen, (H,) of people like the campaign's honest ones. part: (H, K) which third of the
    people each is of, by each habit. uniform: (N,) of `uniform` people.
    """

    most: Mapping[str, Floats]
    part: Ints
    uniform: Floats


def _cutoffs(simulated: MostEvidence, settings: Settings) -> dict[str, tuple[float, float]]:
    """Return the cut-offs of the screens that say something."""
    most, flags = simulated.most, settings.flags
    active = [screen for screen, of in most.items() if screen not in ASSUMED and of.any()]
    even = {screen: _even(most[screen], simulated.part) for screen in active}
    usual = allocated(active, settings)
    pausing = sum(usual[screen] for screen in active if screen not in flags.list_only)

    def listed(screen: str, share: float) -> float:
        return cutoff(most[screen], share * even[screen], *listing(screen, share))

    def paused(screen: str) -> float:
        whole = 1 if screen in flags.list_only else pausing
        share = usual[screen] / whole * flags.paused
        return cutoff(most[screen], share, least_cutoff(screen, share), DECADE)

    needed = 1.0
    if "no_variation" in usual:
        share = usual["no_variation"] * flags.listed
        needed = _needed(simulated.uniform, lambda part: listed("no_variation", part * share))
    found = {}
    for screen, part in allocated(active, settings, needed).items():
        at = listed(screen, part * flags.listed)
        found[screen] = (at, max(at, paused(screen)))
    return found


def _needed(uniform: Floats, cut: Callable[[float], float]) -> float:
    """Return the part of its share with which a screen finds nearly as many as with all of it."""
    wanted = FOUND * (uniform > cut(1)).mean()
    enough = (part for part in FEWER if (uniform > cut(part)).mean() >= wanted > 0)
    return next(enough, 1.0)


def _even(most: Floats, part: Ints) -> float:
    """Return which part of its share a screen keeps: less where it touches people of one habit."""
    return min(1.0, UNEVEN / concentration(most, part, tail(most.size)))


def _usable(columns: Columns, settings: Settings) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return (A,) who is taken for honest: at least half of all, the least suspicious.

    Who is nobody's yardstick is no model either, as long as few are: people who hide in each
    other's numbers would make the simulated ones as uniform as they are.
    """
    alone = [found for found in findings(columns, settings) if SCREENS[found.screen].find]
    evidence = np.max([found.evidence / _suspect(found.screen) for found in alone], axis=0)
    counts = crowd.counts(columns, crowd.categories(columns))
    varied = crowd.varied(counts, settings.crowd)
    if crowd.are_most(varied):
        evidence = np.where(varied, evidence, np.inf)
    return np.asarray(evidence <= max(1.0, float(np.median(evidence))))


def _suspect(screen: str) -> float:
    return SUSPECT_RATIO if SCREENS[screen].ratio else SUSPECT


def _simulated(columns: Columns, settings: Settings, rng: Generator) -> MostEvidence:
    """Return the evidence of people like the campaign's honest ones, beside careless ones."""
    believed = belief(columns, settings.crowd)
    model = Honest.fitted(columns, _usable(columns, settings), believed)
    plan = sampled(columns, rng)
    kinds = shares(columns, model, plan, settings.crowd, rng)
    plan = continued(plan, growth(columns), rng)
    most, part = _histories(model, plan, kinds, settings, rng)
    return MostEvidence(most, part, uniform(model, plan, settings, rng))


def _histories(
    model: Honest, plan: Columns, kinds: Floats, settings: Settings, rng: Generator
) -> tuple[Mapping[str, Floats], Ints]:
    """Return (H,) the most evidence of each screen on each simulated honest person, at any look.

    And (H, K) which third of the people each is of, by each habit.
    kinds: (3,) shares of people who are careful, do not look, and answer upside down. Where some
    are careless, the careful agree less with the others, and are surer to be told from them.
    """
    found: dict[str, list[Floats]] = {}
    part: list[Ints] = []
    while sum(map(len, part)) < HISTORIES and len(part) < MOST_CAMPAIGNS:
        looking = rng.choice(LOOKING, plan.people.size, p=kinds)
        care = rng.normal(1, CARE, looking.size)
        campaign = model.campaign(plan, looking * care, rng)
        honest = looking == 1
        part.append(parts(campaign)[honest])
        for screen, evidence in most_evidence(campaign, settings).items():
            found.setdefault(screen, []).append(evidence[honest])
    return {screen: np.concatenate(each) for screen, each in found.items()}, np.concatenate(part)


def most_evidence(
    campaign: Columns, settings: Settings, looks: int = LOOKS
) -> Mapping[str, Floats]:
    """Return (A,) the most evidence of each screen on each person, at any of so many looks."""
    found: dict[str, Floats] = {}
    for look in _looks(campaign, looks):
        at = np.searchsorted(campaign.people, look.people)
        for one in findings(look, settings):
            seen = found.setdefault(one.screen, np.zeros(campaign.people.size))
            np.maximum.at(seen, at, one.evidence)
    return found


def _looks(columns: Columns, looks: int) -> Iterator[Columns]:
    order = np.argsort(columns.order, kind="stable")
    for look in range(1, looks + 1):
        yield taken(columns, order[: max(1, len(order) * look // looks)])
