"""The cut-offs of a campaign, by a parametric bootstrap of its honest people.

Honest people like the campaign's are simulated in its own tasks, beside as many careless ones as it
seems to have, and screened at several looks. A screen's cut-off is passed at any of these looks by
the share of the honest that the settings allow. The screens share it out. Beyond what was
simulated, evidence is taken to fall off exponentially, which logarithms of probabilities do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng

from annotate.screening import crowd
from annotate.screening.agreement.finding import belief
from annotate.screening.base import Columns
from annotate.screening.calibration.allocating import ASSUMED, allocated
from annotate.screening.calibration.habits import concentration, parts
from annotate.screening.calibration.honest import Honest
from annotate.screening.calibration.planning import continued, growth, sampled
from annotate.screening.calibration.shares import LOOKING, shares
from annotate.screening.calibration.tails import DECADE, cutoff, least_cutoff, listing, tail
from annotate.screening.calibration.uniform import uniform
from annotate.screening.cutoffs import Cutoffs
from annotate.screening.joining import taken
from annotate.screening.registry import SCREENS
from annotate.screening.running import findings
from annotate.screening.settings import Settings
from estimation.core import Floats, Ints

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
