"""What the screens list and pause, kind by kind: campaigns looked at as they go on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import ceil

import numpy as np
from scipy.stats import beta

from annotate.screening import Settings, screen_all
from annotate.screening.base import PAUSED
from annotate.screening.calibration import calibrated
from annotate.screening.cutoffs import NOMINAL, UNCALIBRATED, Cutoffs
from annotate.screening.joining import taken
from bench.screening import crowds, kinds
from bench.screening.campaigns import Design

SEED = 2026
STEPS = (10, 25)
LOOKS = 10
# Looks; production does it whenever judgments have grown by a quarter.
CALIBRATED_AT = (3, 4, 6, 8)
TOGETHER = 120  # people of a campaign
CARELESS, HONEST = 0.2, 0.3  # the share of the kind that is looked at
MORE = 3  # times as many people of each honest kind, for a bound that is nearer
# Calibrations that the campaigns of a row share, and more for more than so many people of the kind:
# one alone decides more than these people do.
CALIBRATIONS, EACH = 3, 500
TIERS = ("listed", "paused")


@dataclass
class Tally:
    """people: of the kind. first: by tier, own judgments when it was reached first.

    screens: which screens listed the kind. bystanders: honest people of the usual kind beside it,
    and how many of them each tier reached.
    """

    people: int = 0
    first: dict[str, list[int]] = field(default_factory=lambda: {tier: [] for tier in TIERS})
    screens: Counter[str] = field(default_factory=Counter)
    bystanders: Counter[str] = field(default_factory=Counter)

    def merge(self, other: "Tally") -> None:
        self.people += other.people
        for tier in TIERS:
            self.first[tier] += other.first[tier]
        self.screens.update(other.screens)
        self.bystanders.update(other.bystanders)

    def by(self, tier: str, k: int) -> int:
        """How many of the kind the tier had reached by their k-th judgment."""
        return sum(n <= k for n in self.first[tier])


Job = tuple[str, str, int, int, bool]  # study, kind, people, seed, calibrated
# The cut-offs of a kind of campaigns by the look at which they begin, for campaigns by turns.
Known = Sequence[Mapping[int, Cutoffs]]


def campaign(study: str, kind: str, people: int, rng: np.random.Generator):  # type: ignore[no-untyped-def]
    """Columns, and (A,) who is of the kind."""
    careless = kinds.kinds_of(study).get(kind)
    mine = np.arange(people) < round((CARELESS if careless else HONEST) * people)
    own = crowds.HONEST.get(kind, crowds.USUAL)
    folk = [own if one else crowds.USUAL for one in mine.tolist()]
    columns = crowds.drawn(study, Design(people=people), folk, rng)
    return (careless(columns, mine[columns.who], rng) if careless else columns), mine


@cache
def calibrated_at(study: str, kind: str, people: int, look: int, number: int = 0) -> Cutoffs:
    """The cut-offs of one campaign, which serve for many of the same kind."""
    rng = np.random.default_rng([SEED, *study.encode(), *kind.encode(), look, number + 1])
    columns, _mine = campaign(study, kind, people, rng)
    seen = taken(columns, np.arange(len(columns.who) * look // LOOKS))
    return calibrated(seen, Settings())


def one(job: Job, known: Known | None = None) -> Tally:
    """One campaign, from its own seed, looked at all along. known: where they are not computed."""
    study, kind, people, seed, is_calibrated = job
    rng = np.random.default_rng([SEED, *study.encode(), *kind.encode(), seed])
    columns, mine = campaign(study, kind, people, rng)
    settings, tally = Settings(), Tally(int(mine.sum()))
    cutoffs = UNCALIBRATED if is_calibrated else NOMINAL
    tally.bystanders["people"] = int((~mine).sum())
    first: dict[str, dict[int, int]] = {tier: {} for tier in TIERS}
    screens: Counter[tuple[int, str]] = Counter()
    for look in range(1, LOOKS + 1):
        seen = taken(columns, np.arange(len(columns.who) * look // LOOKS))
        if is_calibrated and look in CALIBRATED_AT:
            served = known[seed % len(known)] if known else {}
            cutoffs = served.get(look) or calibrated_at(study, kind, people, look)
        count = dict(zip(seen.people.tolist(), seen.judgments.tolist(), strict=True))
        for verdict in screen_all(seen, settings, cutoffs, flagged_only=True):
            first["listed"].setdefault(verdict.annotator, count[verdict.annotator])
            screens[verdict.annotator, verdict.screen] = 1
            if verdict.tier == PAUSED:
                first["paused"].setdefault(verdict.annotator, count[verdict.annotator])
    for tier in TIERS:
        tally.first[tier] = [n for who, n in first[tier].items() if mine[who]]
        tally.bystanders[tier] = sum(not mine[who] for who in first[tier])
    tally.screens.update(screen for (who, screen) in screens if mine[who])
    return tally


def share(count: int, n: int) -> str:
    """`87 (82–91)`: a percentage with its 95 % Clopper–Pearson interval."""
    if not n:
        return "–"
    low = beta.ppf(0.025, count, n - count + 1) if count else 0.0
    high = beta.ppf(0.975, count + 1, n - count) if count < n else 1.0
    digits = 1 if count < 0.1 * n else 0
    return f"{100 * count / n:.{digits}f} ({100 * low:.{digits}f}–{100 * high:.{digits}f})"


def campaigns(kind: str, people: int) -> int:
    """How many campaigns have so many people of a kind together."""
    honest = kind in crowds.HONEST
    own = round((HONEST if honest else CARELESS) * TOGETHER)
    return ceil(people * (MORE if honest else 1) / own)


def calibrations(kind: str, people: int) -> int:
    """How many calibrations these campaigns share."""
    return min(CALIBRATIONS * max(1, people // EACH), campaigns(kind, people))


def row(kind: str, tally: Tally) -> str:
    cells = [share(tally.by(tier, k), tally.people) for tier in TIERS for k in STEPS]
    beside = [share(tally.bystanders[tier], tally.bystanders["people"]) for tier in TIERS]
    found = ", ".join(f"{name} {n}" for name, n in tally.screens.most_common(2)) or "–"
    return f"| {kind} | {' | '.join(cells)} | {tally.people} | {' | '.join(beside)} | {found} |"


def header() -> str:
    names = ["kind", *(f"{tier} by {k}" for tier in TIERS for k in STEPS), "people"]
    names += ["others listed", "others paused", "listed by"]
    return f"| {' | '.join(names)} |\n{'|---' * len(names)}|"
