"""What careless people do to an estimate, and what screens take back of it.

Run from the checkout: python -m bench.screening.harm [campaigns a row] [processes] [study]
The table in docs/screening.md: whole campaigns with a known truth, in which 5, 10 or 20 % of the people
are careless in one way. Screens on: who is listed or paused at any look is left out, and nobody
judges in their place. The calibrations of three other campaigns serve those of a row by turns.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat

import numpy as np
from numpy.random import Generator

from annotate.screening import Columns, Settings, screen_all
from annotate.screening.calibration import calibrated
from annotate.screening.cutoffs import UNCALIBRATED, Cutoffs
from annotate.screening.joining import taken
from bench.screening import crowds, kinds
from bench.screening.campaigns import RELEASED, Design
from bench.screening.studies import marginal
from bench.screening.table import CALIBRATIONS, share
from estimation.core import Floats, Ints, Sample, Scale, estimate
from estimation.core.simulation import Marginal, latent_share

SEED = 2031
STUDIES = (crowds.QUALITY, "rating 1×5")
SHARES = (0.05, 0.1, 0.2)
NOBODY = "nobody"
LEVEL = 0.95
PEOPLE, CAP = 40, 25
POPULATION = 2000  # outputs of the system; about 800 are judged
METRIC = 0.5  # the metric's correlation with what an output is, before people and noise
LOOKS = (4, 7, 10)  # tenths of the campaign after which the screens look
CALIBRATED_AT = (4, 7)
CALIBRATED_FROM = 1_000_000  # the first seed of campaigns that are calibrated and not measured

Cell = tuple[str, str, float]  # study, kind, share


@dataclass(frozen=True)
class Criterion:
    """The criterion that is estimated. share: of the latent score's variance, that of outputs."""

    name: str
    column: int
    scores: Marginal
    share: float

    def truth(self, quality: Floats) -> float:
        """The mean of all outputs' expected scores by honest people, from (N, C) effects."""
        return float(self.scores.conditional_mean(quality[:, self.column], self.share).mean())


@cache
def criterion(study: str) -> Criterion:
    """`overall` of language quality; the first criterion of a rating."""
    if study == crowds.QUALITY:
        shares, parts = RELEASED["overall"]
        scores = Marginal((-1.0, 0.0, 1.0), shares, Scale(-1, 1))
        return Criterion("overall", 2, scores, latent_share(scores, parts[0] / sum(parts)))
    return Criterion("c0", 0, marginal(crowds.RATINGS[study][1], None), 0.35)


@dataclass(frozen=True)
class Result:
    """One campaign's estimate without and with screens. Errors and half-widths in score units.

    honest: the error of the same campaign when everybody is careful. people: careless, honest.
    out: how many of these the screens left out.
    """

    honest: float
    error: tuple[float, float]
    half: tuple[float, float]
    covered: tuple[bool, bool]
    people: tuple[int, int]
    out: tuple[int, int]


@dataclass
class Row:
    """What became of the campaigns of one row."""

    results: list[Result] = field(default_factory=list)

    def bias(self, screens: bool) -> tuple[float, float]:
        """(bias, its standard error) in score units.

        Compared with the same campaigns of careful people, of whom the estimate has no bias. Their
        own row is compared with the truth.
        """
        errors = np.array(
            [one.error[screens] - (one.honest if one.people[0] else 0) for one in self.results]
        )
        return float(errors.mean()), float(errors.std(ddof=1) / np.sqrt(errors.size))

    def half(self, screens: bool) -> float:
        """The mean half-width."""
        return float(np.mean([one.half[screens] for one in self.results]))

    def covered(self, screens: bool) -> str:
        """Percent of the intervals that held the truth, with a 95 % interval."""
        return share(sum(one.covered[screens] for one in self.results), len(self.results))

    def left_out(self, who: int) -> str:
        """Percent left out of the careless (0) or of the honest (1)."""
        total = sum(one.people[who] for one in self.results)
        return share(sum(one.out[who] for one in self.results), total) if total else "–"


def campaign(study: str, seed: int) -> tuple[Columns, Floats, Generator]:
    """Columns of careful people, (N, C) the outputs' effects, and the source of what follows.

    The same for every kind, so that their rows differ by nothing else.
    """
    rng = np.random.default_rng([SEED, *study.encode(), seed])
    quality = crowds.effects(study, POPULATION, rng)
    design = Design(people=PEOPLE, cap=CAP)
    return crowds.drawn(study, design, [crowds.USUAL] * PEOPLE, rng, quality), quality, rng


def spoilt(study: str, kind: str, part: float, columns: Columns, rng: Generator) -> Columns:
    """The same campaign when the first people are careless."""
    careless = columns.annotator < round(part * PEOPLE)
    return columns if kind == NOBODY else kinds.kinds_of(study)[kind](columns, careless, rng)


def left_out(columns: Columns, cutoffs: list[Cutoffs]) -> Ints:
    """Who was listed or paused at a look."""
    found: set[int] = set()
    for look, cutoff in zip(LOOKS, cutoffs, strict=True):
        seen = taken(columns, np.arange(len(columns.who) * look // 10))
        found |= {v.annotator for v in screen_all(seen, Settings(), cutoff) if v.flagged}
    return np.array(sorted(found), dtype=np.int64)


@cache
def _cutoffs(study: str, kind: str, part: float, number: int) -> list[Cutoffs]:
    """At each look, those of the last look before it at which the campaign was calibrated."""
    careful, _quality, rng = campaign(study, CALIBRATED_FROM + number)
    columns = spoilt(study, kind, part, careful, rng)
    found, now = [], UNCALIBRATED
    for look in LOOKS:
        if look in CALIBRATED_AT:
            now = calibrated(taken(columns, np.arange(len(columns.who) * look // 10)), Settings())
        found.append(now)
    return found


def estimated(
    study: str, columns: Columns, quality: Floats, metric: Floats
) -> tuple[float, float, bool]:
    """(error, half-width, whether the interval holds the truth) of the default estimator."""
    what = criterion(study)
    sample = Sample(
        columns.scores[what.name],
        columns.output,
        columns.annotator,
        POPULATION,
        what.scores.scale,
        metric,
    )
    found, truth = estimate(sample), what.truth(quality)
    ends = found.interval(LEVEL)
    return found.estimate - truth, ends.width / 2, ends.low <= truth <= ends.high


def one(study: str, kind: str, part: float, seed: int) -> Result:
    """One campaign, which the cut-offs have not seen."""
    careful, quality, rng = campaign(study, seed)
    signal = quality[:, criterion(study).column]
    metric = METRIC * signal + np.sqrt(1 - METRIC**2) * rng.standard_normal(signal.size)
    columns = spoilt(study, kind, part, careful, rng)
    out = left_out(columns, _cutoffs(study, kind, part, seed % CALIBRATIONS))
    kept = taken(columns, np.flatnonzero(~np.isin(columns.annotator, out)))
    honest, off, on = (estimated(study, one, quality, metric) for one in (careful, columns, kept))
    careless = round(part * PEOPLE)
    caught = int((out < careless).sum())
    return Result(
        honest[0],
        (off[0], on[0]),
        (off[1], on[1]),
        (off[2], on[2]),
        (careless, PEOPLE - careless),
        (caught, out.size - caught),
    )


def run(cell: Cell, campaigns: int) -> Row:
    """So many campaigns of one row."""
    return Row([one(*cell, seed) for seed in range(1, campaigns + 1)])


def lines(study: str, kind: str, campaigns: int) -> list[str]:
    """The rows of a kind, one a share."""
    cells = [(study, kind, part) for part in (SHARES if kind != NOBODY else (0.0,))]
    return [line(cell, run(cell, campaigns)) for cell in cells]


def header() -> str:
    """The two lines above the rows."""
    names = ["kind", "share", "bias, off", "bias, on", "covered, off", "covered, on"]
    names += ["half-width, off", "on", "careless left out", "honest left out"]
    return f"| {' | '.join(names)} |\n{'|---' * len(names)}|"


def line(cell: Cell, row: Row) -> str:
    """One row of the table."""
    bias = ["{:+.3f} ± {:.3f}".format(*row.bias(screens)) for screens in (False, True)]
    covered = [row.covered(screens) for screens in (False, True)]
    half = [f"{row.half(screens):.3f}" for screens in (False, True)]
    out = [row.left_out(who) for who in (0, 1)]
    return f"| {' | '.join([cell[1], f'{100 * cell[2]:.0f} %', *bias, *covered, *half, *out])} |"


def main() -> None:
    """Print the tables; bias with its standard error, percentages with 95 % intervals."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with ProcessPoolExecutor(processes) as pool:
        for study in (name for name in STUDIES if name.startswith(" ".join(sys.argv[3:4]))):
            print(f"\n**{study}**\n\n{header()}", flush=True)
            names = [NOBODY, *kinds.kinds_of(study)]
            jobs = repeat(study), names, repeat(campaigns)
            for rows in pool.map(lines, *jobs):
                print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
