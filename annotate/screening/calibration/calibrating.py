"""The cut-offs of a campaign, by a parametric bootstrap of its honest people.

Honest people like the campaign's are simulated in its own tasks, beside as many careless ones as it
seems to have, and screened at several looks. A screen's cut-off is passed at any of these looks by
the share of the honest that the settings allow. The screens share it out. Beyond what was
simulated, evidence is taken to fall off exponentially, which logarithms of probabilities do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.random import Generator, default_rng

from annotate.screening import crowd
from annotate.screening.agreement.finding import belief
from annotate.screening.base import Columns
from annotate.screening.calibration.habits import concentration, parts
from annotate.screening.calibration.honest import Honest
from annotate.screening.calibration.shares import LOOKING, shares
from annotate.screening.cutoffs import Cutoffs
from annotate.screening.joining import taken
from annotate.screening.registry import SCREENS
from annotate.screening.running import findings
from annotate.screening.settings import Settings
from estimation.core import Floats, Ints

HISTORIES = 2000  # simulated honest people at least, unless that takes more than
MOST_CAMPAIGNS = 40
LOOKS = 6
MOST_ROWS = 15_000  # of one simulated campaign
MOST_JUDGMENTS = 200  # of one simulated person
HORIZON = 25  # judgments up to which everybody's work is continued
MOST_COPIES = 6
TOP = 0.02  # the tail from which cut-offs beyond it are extrapolated
UNEVEN = 1.25  # times as often as others, people of one habit may be touched
DECADE = 1 / np.log(10)  # how evidence falls off by chance
LEAST_RATIO = 0.7  # five times as likely of somebody careless
SUSPECT, SUSPECT_RATIO = 2.5, 1.0  # evidence from which a person is not taken for honest
# Screens that no other one can replace get more of what the settings allow, and those that many
# people of one habit are near to get less.
SHARES = {
    "too_fast": 1.8,
    "low_agreement": 9.0,
    "own_consistency": 2.0,
    "no_variation": 7.4,
    "random_answers": 1.8,
    "answer_pattern": 0.4,
    "several_signs": 2.0,
}
# Who takes over the part of a screen that has nothing to go by, because it finds the same people:
# answers without a look at the output go neither with one's own edits nor with others' answers.
HEIRS = {"own_consistency": "low_agreement"}
# Highlights are not simulated.
ASSUMED = {"thin_evidence": (2.5, 4.0)}


def calibrated(columns: Columns, settings: Settings, *, seed: int = 0) -> Cutoffs:
    """Return the cut-offs for a campaign; the same columns and seed give the same.

    Where too few people work for anybody to be compared, nothing is simulated, and screens that
    compare nobody have their nominal cut-offs.
    """
    flags, found = settings.flags, dict(ASSUMED)
    if columns.people.size > settings.crowd.people:
        passed, part = _simulated(columns, settings, default_rng([seed, len(columns.who)]))
        found |= _cutoffs(passed, part, settings)
    rest = (-np.log10(flags.listed / 10), -np.log10(flags.paused / 10))
    return Cutoffs(found, (float(rest[0]), float(rest[1])))


def _cutoffs(
    passed: Mapping[str, Floats], part: Ints, settings: Settings
) -> dict[str, tuple[float, float]]:
    """Return the cut-offs of the screens that say something; of `_histories`."""
    active = [screen for screen, most in passed.items() if screen not in ASSUMED and most.any()]
    pausing = [screen for screen in active if screen not in settings.flags.list_only]
    shares = _shares(active, settings)
    whole = sum(shares[screen] for screen in pausing)
    found = {}
    for screen in active:
        share = shares[screen] * settings.flags.listed
        even = share * _even(passed[screen], part)
        listed = _cutoff(passed[screen], even, *_listing(screen, share))
        share = shares[screen] / (whole if screen in pausing else 1) * settings.flags.paused
        paused = _cutoff(passed[screen], share, _least(screen, share), DECADE)
        found[screen] = (listed, max(listed, paused))
    return found


def _shares(active: Collection[str], settings: Settings) -> dict[str, float]:
    # A screen that somebody switched off leaves its part to nobody.
    there = {*active, *settings.flags.off}
    return {screen: _share(screen, there) for screen in active}


def _share(screen: str, there: Collection[str]) -> float:
    """Return a screen's part of those whom all screens may list.

    there: those that keep their parts. Any other screen leaves its part to its heir, if it has one:
    a study that shows less of people's work also shows less of their carelessness, and screens of
    other things would take honest people for it.
    """
    others = [name for name in SCREENS if name not in ASSUMED]
    left = [name for name, heir in HEIRS.items() if heir == screen and name not in there]
    mine = sum(SHARES.get(name, 1.0) for name in (screen, *left))
    return mine / sum(SHARES.get(name, 1.0) for name in others)


def _even(most: Floats, part: Ints) -> float:
    """Return which part of its share a screen keeps: less where it touches people of one habit."""
    return min(1.0, UNEVEN / concentration(most, part, _tail(most.size)))


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


def _sampled(columns: Columns, rng: Generator) -> Columns:
    """Return the work of some people of a large campaign, with as many shared outputs each."""
    if len(columns.who) <= MOST_ROWS:
        return columns
    place = np.lexsort((columns.order, columns.who))
    start = np.cumsum(columns.judgments) - columns.judgments
    early = np.sort(place[np.arange(place.size) - start[columns.who[place]] < MOST_JUDGMENTS])
    each = np.minimum(columns.judgments, MOST_JUDGMENTS)
    people = rng.permutation(each.size)
    chosen = people[np.cumsum(each[people]) <= MOST_ROWS]
    inside = np.zeros(each.size, dtype=bool)
    inside[chosen] = True
    part = taken(columns, early[inside[columns.who[early]]])
    names, _at, n = np.unique(columns.output, return_inverse=True, return_counts=True)
    shared = np.flatnonzero(n[np.searchsorted(names, part.output)] > 1)
    output = np.arange(len(part.output))
    pairs = rng.permutation(shared)
    pairs = pairs[: pairs.size // 2 * 2]
    output[pairs[1::2]] = output[pairs[::2]]
    return replace(part, output=output)


def _continued(columns: Columns) -> Columns:
    """Return the work with everybody's tasks again, with other outputs, up to the horizon."""
    usual = max(float(np.median(columns.judgments)), 1.0)
    copies = int(np.clip(np.ceil(HORIZON / usual), 1, MOST_COPIES))
    rows = np.tile(np.arange(len(columns.who)), min(copies, MOST_ROWS // len(columns.who) or 1))
    again = taken(replace(columns, highlights=None), rows)
    copy = np.arange(rows.size) // len(columns.who)
    outputs = np.unique(columns.output, return_inverse=True)[1][rows]
    order = np.argsort(np.argsort(columns.order))[rows]
    return replace(
        again,
        output=outputs + copy * (int(outputs.max(initial=0)) + 1),
        order=(order + copy * len(columns.who)).astype(np.float64),
    )


def _simulated(
    columns: Columns, settings: Settings, rng: Generator
) -> tuple[Mapping[str, Floats], Ints]:
    """Return `_histories` of people like the campaign's honest ones, beside careless ones."""
    believed = belief(columns, settings.crowd)
    model = Honest.fitted(columns, _usable(columns, settings), believed)
    plan = _sampled(columns, rng)
    kinds = shares(columns, model, plan, settings.crowd, rng)
    return _histories(model, _continued(plan), kinds, settings, rng)


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
        campaign = model.campaign(plan, looking, rng)
        honest = looking == 1
        part.append(parts(campaign)[honest])
        for screen, evidence in _most(campaign, settings).items():
            found.setdefault(screen, []).append(evidence[honest])
    return {screen: np.concatenate(each) for screen, each in found.items()}, np.concatenate(part)


def _most(campaign: Columns, settings: Settings) -> Mapping[str, Floats]:
    """Return (A,) the most evidence of each screen on each person, at any look."""
    found: dict[str, Floats] = {}
    for look in _looks(campaign):
        at = np.searchsorted(campaign.people, look.people)
        for one in findings(look, settings):
            seen = found.setdefault(one.screen, np.zeros(campaign.people.size))
            np.maximum.at(seen, at, one.evidence)
    return found


def _looks(columns: Columns) -> Iterator[Columns]:
    order = np.argsort(columns.order, kind="stable")
    for look in range(1, LOOKS + 1):
        yield taken(columns, order[: max(1, len(order) * look // LOOKS)])


def _tail(people: int) -> int:
    return max(5, int(TOP * people))


def _least(screen: str, share: float) -> float:
    """Return the least cut-off: that of one look by the nominal evidence, which may pass `share`.

    A likelihood ratio is rarer than its inverse; the simulation says how rare. It does not know
    how much more will be compared as the campaign goes on, so nobody is listed for less than that.
    """
    return LEAST_RATIO if SCREENS[screen].ratio else float(-np.log10(share))


def _listing(screen: str, share: float) -> tuple[float, float]:
    """Return the least cut-off for listing, and how slowly evidence is taken to fall off."""
    return _least(screen, share), 0.0 if SCREENS[screen].ratio else DECADE


def _cutoff(most: Floats, passing: float, least: float, decade: float) -> float:
    """Return the evidence that a share of the simulated people pass, and at least `least`.

    decade: the least mean by which evidence exceeds a high value that it passes. Only evidence
    above 0 says how it falls off: it may begin far above, and the gap says nothing.
    """
    ordered = np.sort(most)[::-1]
    if passing * ordered.size >= 10:
        return float(max(least, ordered[int(passing * ordered.size)]))
    tail = ordered[: _tail(ordered.size)]
    tail = tail[tail > 0]
    if not tail.size:
        return least
    excess = max(float((tail - tail[-1]).mean()), decade)
    return float(max(least, tail[-1] + excess * np.log(tail.size / ordered.size / passing)))
