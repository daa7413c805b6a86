"""Cut-offs from the campaign itself: honest people like its own are simulated, and screened.

A parametric bootstrap (docs/screening.md): a model of the campaign's honest people does the
campaign's own tasks again and again, and every screen looks at them as it looks at real people, at
several moments. A screen's cut-off is the evidence that a stated share of these people ever reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.special import ndtri

from annotate.screening import crowd
from annotate.screening.agreement import belief
from annotate.screening.arrays import in_company, products
from annotate.screening.base import Columns, Cutoffs, early, taken
from annotate.screening.screens import SCREENS, Settings, findings
from annotate.screening.speed import ended, fastest
from estimation.core import Floats, Ints, distinct, numbered

Mask = NDArray[np.bool_]

PEOPLE, MOST_CAMPAIGNS = 2000, 40  # simulated at least, unless that takes more campaigns
LOOKS = 6  # at each simulated campaign
MOST_ROWS, MOST_JUDGMENTS = 15_000, 200  # of one simulated campaign, and of a person in it
ASSUMED = {"thin_evidence": (2.5, 4.0)}  # highlights are not simulated
LEAST_RATIO = 0.5  # nobody is listed for less than three times as likely careless
DECADE = 1 / np.log(10)  # the mean by which a logarithm of a probability exceeds what it passes
TOP = 0.02  # the share of simulated people beyond whom evidence is extrapolated
SUSPECT, SUSPECT_RATIO = 2.5, 1.0  # evidence from which a person is not taken for honest
# Usual shares of the variance of latent answers, and how many pairs of judgments they weigh.
ITEM, PERSON, WEIGHT = 0.3, 0.12, 60.0
LEAST_PERSON, MOST_SHARE = 0.06, 0.9
CARE = 0.1  # standard deviation of how much more or less than usual people follow the output
ENDED = 20  # so many tasks that ended early have times of their own
LEAST_EFFECTS = 0.3  # of people's logarithms of times, while few people are known


def calibrated(columns: Columns, settings: Settings, *, seed: int = 0) -> Cutoffs:
    """Return the cut-offs for a campaign; the same columns and seed give the same.

    The screens that find anything in the simulated people share out equally whom the settings
    allow to be listed, and to be paused. Where too few people work for anybody to be compared,
    nothing is simulated, and screens that compare nobody have their nominal cut-offs.
    """
    flags, found = settings.flags, dict(ASSUMED)
    if columns.people.size > settings.crowd.people:
        most = simulated(columns, settings, default_rng([seed, len(columns.who)]))
        active = [screen for screen, of in most.items() if screen not in ASSUMED and of.any()]
        for screen in active:
            listed, paused = (
                cutoff(screen, most[screen], share / len(active))
                for share in (flags.listed, flags.paused)
            )
            found[screen] = (listed, max(listed, paused))
    rest = (-np.log10(flags.listed / 10), -np.log10(flags.paused / 10))
    return Cutoffs(found, (float(rest[0]), float(rest[1])))


def cutoff(screen: str, most: Floats, share: float) -> float:
    """Return the evidence that a share of the simulated people (H,) pass.

    It is at least the nominal one, which one look passes with this probability; a likelihood ratio
    is rarer than its inverse, so it has a low limit of its own. Beyond what so few people show,
    evidence is taken to fall off exponentially, as logarithms of probabilities do.
    """
    least = LEAST_RATIO if SCREENS[screen].ratio else float(-np.log10(share))
    ordered = np.sort(most)[::-1]
    if share * ordered.size >= 10:
        return float(max(least, ordered[int(share * ordered.size)]))
    top = ordered[: max(5, int(TOP * ordered.size))]
    top = top[top > 0]
    if not top.size:
        return least
    excess = max(float((top - top[-1]).mean()), 0.0 if SCREENS[screen].ratio else DECADE)
    return float(max(least, top[-1] + excess * np.log(top.size / ordered.size / share)))


def simulated(columns: Columns, settings: Settings, rng: Generator) -> Mapping[str, Floats]:
    """Return by screen (H,) the most evidence on each simulated honest person, at any look."""
    model = Honest.fitted(columns, usable(columns, settings), belief(columns, settings.crowd))
    plan = sampled(columns, rng)
    found: list[Mapping[str, Floats]] = []
    while len(found) * plan.people.size < PEOPLE and len(found) < MOST_CAMPAIGNS:
        found.append(most_evidence(model.campaign(plan, rng), settings))
    return {screen: np.concatenate([one[screen] for one in found]) for screen in found[0]}


def most_evidence(columns: Columns, settings: Settings) -> Mapping[str, Floats]:
    """Return by screen (A,) the most evidence on each person, at any of the looks."""
    order = np.argsort(columns.order, kind="stable")
    found = {screen: np.zeros(columns.people.size) for screen in SCREENS}
    for look in range(1, LOOKS + 1):
        seen = taken(columns, order[: max(1, len(order) * look // LOOKS)])
        at = np.searchsorted(columns.people, seen.people)
        for one in findings(seen, settings):
            np.maximum.at(found[one.screen], at, one.evidence)
    return found


def usable(columns: Columns, settings: Settings) -> Mask:
    """Return (A,) who is taken for honest: at least half of all, the least suspicious.

    Who is nobody's yardstick is no model either, as long as few are: people who hide in each
    other's numbers would make the simulated ones as uniform as they are.
    """
    evidence = np.zeros(columns.people.size)
    for one in findings(columns, settings):
        limit = SUSPECT_RATIO if SCREENS[one.screen].ratio else SUSPECT
        evidence = np.maximum(evidence, one.evidence / limit)
    varied = crowd.varied(crowd.counts(columns), settings.crowd)
    if crowd.are_most(varied):
        evidence = np.where(varied, evidence, np.inf)
    return np.asarray(evidence <= max(1.0, float(np.median(evidence))))


def sampled(columns: Columns, rng: Generator) -> Columns:
    """Return the work of some people of a large campaign, with as many shared outputs each."""
    columns = replace(columns, highlights=None)
    if len(columns.who) <= MOST_ROWS:
        return columns
    each = np.minimum(columns.judgments, MOST_JUDGMENTS)
    people = rng.permutation(each.size)
    inside = np.zeros(each.size, dtype=bool)
    inside[people[np.cumsum(each[people]) <= MOST_ROWS]] = True
    rows = np.flatnonzero(inside[columns.who] & early(columns, MOST_JUDGMENTS))
    shared = rng.permutation(np.flatnonzero(in_company(numbered(columns.output))[rows]))
    one, other = shared[: shared.size // 2], shared[shared.size // 2 :][: shared.size // 2]
    apart = columns.who[rows[one]] != columns.who[rows[other]]
    output = np.arange(rows.size)
    output[other[apart]] = output[one[apart]]
    return replace(taken(columns, rows), output=output)


# ---- the model of honest people --------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Question:
    """One kind of question: its levels, the latent values between them, and shares of variance.

    A latent answer is the sum of what the output (`item`), the person and chance contribute.
    """

    levels: Floats
    cuts: Floats
    item: float
    person: float


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
    def fitted(cls, who: Ints, x: Floats, y: Floats, kind: Ints) -> Logs:
        """Return the model of logarithms y (n,) on x (n,), by person; kind: (n,) 0 to K - 1."""
        kinds = [kind == k for k in range(int(kind.max(initial=0)) + 1)]
        lines = np.array([_line(x[part], y[part]) for part in kinds])
        rest = y - lines[kind, 0] - lines[kind, 1] * x
        _people, at, n = np.unique(who, return_inverse=True, return_counts=True)
        effect = np.bincount(at, rest) / (n + 5.0)  # nearer 0 the fewer there are
        residuals = tuple(_or_zero((rest - effect[at])[part]) for part in kinds)
        return cls(lines, _or_zero(effect), residuals)

    def drawn(self, who: Ints, people: int, x: Floats, kind: Ints, rng: Generator) -> Floats:
        """Return (T,) new values, not logarithms; a kind that was not fitted is like the first."""
        kind = np.where(kind < len(self.lines), kind, 0)
        intercept, slope = self.lines[kind].T
        rest = np.choose(kind, [rng.choice(each, who.size) for each in self.residuals])
        few = LEAST_EFFECTS / np.sqrt(1 + self.people.size / 20)
        effect = rng.choice(self.people, people) + few * rng.standard_normal(people)
        return np.asarray(np.exp(intercept + slope * x + effect[who] + rest))


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Return the intercept, from which half of y (n,) are above the line, and the slope."""
    if y.size < 2:
        return (float(y.mean()) if y.size else 0.0), 0.0
    spread = float(x.var())
    slope = float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread > 0 else 0.0
    return float(np.median(y - slope * x)), slope


def _or_zero(values: Floats) -> Floats:
    return values if values.size else np.zeros(1)


@dataclass(frozen=True, eq=False)
class Honest:
    """What honest people of a campaign do.

    questions: by the number in `Columns.kinds`. mixing: (C, C) a root of their correlations.
    times: of tasks with all parts, and of those that ended before their paragraphs, as two kinds.
    edits: the size of edits on how bad the answers are.
    """

    questions: dict[int, Question]
    mixing: Floats
    times: Logs
    edits: Logs | None

    @classmethod
    def fitted(cls, columns: Columns, honest: Mask, belief: Floats) -> Honest:
        """Return the model of the honest people (A,).

        belief: (T,) how far each judgment is of somebody careful, below 0 if it is upside down.
        """
        rows = honest[columns.who]
        seconds = np.log(np.maximum(columns.seconds, 0.01))
        part = rows & np.isfinite(seconds)
        kind = ended(columns)[part].astype(np.int64)
        if kind.sum() < ENDED:
            kind[:] = 0
        words = np.log(np.maximum(columns.words[part], 1))
        times = Logs.fitted(columns.who[part], words, seconds[part], kind)
        edits = None
        if columns.edit_distance is not None:
            part = rows & np.isfinite(columns.edit_distance)
            size = np.log(np.maximum(columns.edit_distance[part], 1))
            bad = _badness(columns, columns.answers)[part]
            edits = Logs.fitted(columns.who[part], bad, size, np.zeros(size.size, np.int64))
        return cls(*_questions(columns, rows, belief), times, edits)

    def campaign(self, columns: Columns, rng: Generator) -> Columns:
        """Return new work on the same tasks by as many people."""
        who, people = columns.who, columns.people.size
        made = _answered(columns, self._answers(columns, rng), rng)
        words = np.log(np.maximum(made.words, 1))
        seconds = self.times.drawn(who, people, words, ended(made).astype(np.int64), rng)
        made = replace(made, seconds=np.maximum(seconds, fastest(made)))
        if self.edits is None or columns.edit_distance is None:
            return made
        bad = _badness(columns, made.answers)
        size = np.ceil(self.edits.drawn(who, people, bad, np.zeros(who.size, np.int64), rng))
        needed = made.answers.min(axis=1, initial=np.inf) < max(columns.levels)
        if not made.answers.shape[1]:
            needed = np.isfinite(columns.edit_distance)
        return replace(
            made,
            edit_distance=np.where(needed, np.maximum(size, 1), np.nan),
            edit_text=np.where(needed, np.arange(size.size), -1),
        )

    def _answers(self, columns: Columns, rng: Generator) -> Floats:
        """Return (T, C) new answers to the same questions; paragraphs end where they end."""
        output, people = numbered(columns.output), columns.people.size
        size = (int(output.max(initial=-1)) + 1, people, output.size)
        item, person, rest = (
            rng.standard_normal((n, len(columns.kinds))) @ self.mixing.T for n in size
        )
        care = rng.normal(1, CARE, people)[columns.who]
        found = np.empty(rest.shape)
        for column, kind in enumerate(columns.kinds.tolist()):
            own = self.questions[kind]
            most = np.sqrt(1 - own.person)
            follows = np.clip(np.sqrt(own.item) * care, -most, most)
            latent = follows * item[output, column]
            latent += np.sqrt(own.person) * person[columns.who, column]
            latent += np.sqrt(np.maximum(1 - own.person - follows**2, 0)) * rest[:, column]
            found[:, column] = own.levels[np.searchsorted(own.cuts, latent)]
        return found


def _answered(columns: Columns, answers: Floats, rng: Generator) -> Columns:
    """Return the columns with other answers, and the words that these require reading."""
    count = len(columns.scores)
    scores = dict(zip(columns.scores, answers[:, :count].T, strict=True))
    if columns.plausible is None or columns.verdicts is None:
        return replace(columns, scores=scores)
    plausible, over = answers[:, count], columns.plausible == 0
    # How many paragraphs and words a task has is known only where the answer required them.
    source, known = np.arange(over.size), np.flatnonzero(~over)
    if known.size:
        source = np.where(over, rng.choice(known, over.size), source)
    verdicts = np.where(np.isfinite(columns.verdicts)[source], answers[:, count + 1 :], np.nan)
    verdicts[plausible == 0] = np.nan
    short = columns.words[over] if over.any() else np.array([float(columns.words.min())])
    words = np.where(plausible == 0, rng.choice(short, over.size), columns.words[source])
    return replace(columns, scores=scores, plausible=plausible, verdicts=verdicts, words=words)


def _badness(columns: Columns, answers: Floats) -> Floats:
    """Return (T,) how far the ratings among the answers (T, C) are from the best, 0 to 1."""
    if not columns.scores:
        return np.zeros(len(answers))
    best, worst = max(columns.levels), min(columns.levels)
    mean = answers[:, : len(columns.scores)].mean(axis=1)
    return np.asarray((best - mean) / max(best - worst, 1e-9))


def _questions(columns: Columns, rows: Mask, belief: Floats) -> tuple[dict[int, Question], Floats]:
    """Return the questions, fitted to some rows, and a root of their correlations.

    Shares are moments of standardised ranks, corrected for the few levels of an answer, and shrunk
    towards usual ones where data are few.
    """
    answers, who, output = columns.answers[rows], columns.who[rows], numbered(columns.output[rows])
    z, fade, found = np.full(answers.shape, np.nan), np.ones(answers.shape[1]), {}
    for kind in distinct(columns.kinds).tolist():
        at = columns.kinds == kind
        z[:, at], fade[at], levels, cuts = _standardised(answers[:, at])
        by_levels = float(fade[at][0])
        item = _item_share(z[:, at], output, belief[rows]) / by_levels
        person = _person_share(z[:, at], who, columns.people.size) / by_levels
        shrink = min(1.0, 0.95 / (item + person))  # a little is left for chance
        found[kind] = Question(levels, cuts, item * shrink, person * shrink)
    return found, _mixing(z, fade, columns.kinds)


def _standardised(block: Floats) -> tuple[Floats, float, Floats, Floats]:
    """Return z, how far few levels fade its correlations, the levels, and the cuts between them."""
    there = np.isfinite(block)
    levels, which, n = np.unique(block[there], return_inverse=True, return_counts=True)
    z = np.full(block.shape, np.nan)
    if levels.size < 2:
        z[there] = 0.0
        return z, 1.0, levels if levels.size else np.zeros(1), np.empty(0)
    score = crowd.ranked(n)
    z[there] = score[which]
    cuts = ndtri(np.cumsum(n / n.sum())[:-1])
    density = np.r_[0, np.exp(-(cuts**2) / 2) / np.sqrt(2 * np.pi), 0]
    return z, float(np.clip((score @ -np.diff(density)) ** 2, 0.2, 1.0)), levels, cuts


def _item_share(z: Floats, output: Ints, belief: Floats) -> float:
    """Return the correlation of two careful people's answers on one output, nearer the usual one.

    Two people agree as far as both are believed: those who do not look would make the honest
    people that are simulated disagree as much as the campaign does.
    """
    product = pairs = 0.0
    for column in z.T:
        product += products(belief * np.nan_to_num(column), output)
        pairs += products(belief**2 * np.isfinite(column), output)
    return float(np.clip((product + ITEM * WEIGHT) / (pairs + WEIGHT), 0.02, MOST_SHARE))


def _person_share(z: Floats, who: Ints, people: int) -> float:
    """Return the correlation of a person's answers on two outputs, shrunk, and rather too large."""
    product, pairs = np.zeros(people), np.zeros(people)
    for column in z.T:
        there = np.isfinite(column)
        said, n = np.where(there, column, 0.0), np.bincount(who, there, people)
        product += np.bincount(who, said, people) ** 2 - np.bincount(who, said**2, people)
        pairs += n * (n - 1)
    whole = max(float(pairs.sum()), 1.0)
    share = float(product.sum()) / whole
    error = float(np.sqrt(((product - share * pairs) ** 2).sum())) / whole
    active = int((pairs > 0).sum())
    near = (active * (share + error) + 20 * PERSON) / (active + 20)
    return float(np.clip(near, LEAST_PERSON, MOST_SHARE))


def _mixing(z: Floats, fade: Floats, kinds: Ints) -> Floats:
    """Return a root of the correlations of the questions; paragraphs are correlated alike."""
    filled, there = np.nan_to_num(z), np.isfinite(z).astype(np.float64)
    both = there.T @ there
    found = (filled.T @ filled) / (both + WEIGHT) / np.sqrt(np.outer(fade, fade))
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
