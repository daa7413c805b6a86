"""The table of docs/screening.md: how many people of each kind the screens list, in six studies.

Run from the checkout: python -m bench.screening [campaigns a row] [processes] [study] [kind,kind]
PLUMBLINE_DATA names the folder of the released judgments. Percent of people who are ever listed, or
paused, by their 25th judgment, with one-sided 95 % bounds: upper ones for honest people, lower ones
for careless ones. A mark says whether the floor of the row holds.
"""

import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from scipy.stats import beta

from annotate.screening import Columns, Settings, screen_all
from annotate.screening.base import PAUSED, UNCALIBRATED, Cutoffs, taken
from annotate.screening.calibration import calibrated
from bench.screening import crowds

SEED = 2026
PEOPLE, CARELESS = 120, 0.2  # of a campaign; the share of careless ones
MORE = 8  # times as many campaigns of honest people alone: their floor is low
LOOKS = 10
CALIBRATED_AT = (3, 4, 6, 8)  # of the looks; production: when judgments have grown by a quarter
NOBODY = "nobody careless"
LISTED, PAUSED_ = 0.02, 0.002  # of honest people at most
NINETY = (
    *("all best", "all middle", "always implausible", "alternating", "dice", "fast after ten"),
    "“No” in a second",
)
FLOORS = {(study, kind): 0.9 for study in crowds.STUDIES for kind in NINETY if kind != "dice"}
FLOORS |= {
    (study, "dice"): 0.9 for study in crowds.STUDIES if study not in (crowds.ANSWERS, "rating 1×5")
}
for _study in (crowds.QUALITY, "rating 4×5"):
    FLOORS |= {(_study, "mirrored"): 0.7, (_study, "all best but 1 in 6"): 0.5}

Row = tuple[str, str]  # study, careless kind
Campaign = tuple[Columns, list[str]]


def campaign(study: str, kind: str, *seed: int) -> Campaign:
    """Return the columns, and the kind of each person: honest ones of all kinds, or a careless one
    beside the usual."""
    rng = np.random.default_rng([SEED, *study.encode(), *kind.encode(), *seed])
    honest = crowds.honest_kinds(study)
    who = [honest[k % len(honest)] for k in range(PEOPLE)]
    careless = (crowds.CARELESS | crowds.OF_STUDY.get(study, {})).get(kind)
    if careless is None:
        return crowds.drawn(study, [crowds.HONEST[one] for one in who], rng), who
    n = round(CARELESS * PEOPLE)
    columns = crowds.drawn(study, [crowds.HONEST["usual"]] * PEOPLE, rng)
    return careless(columns, columns.who < n, rng), [kind] * n + ["usual"] * (PEOPLE - n)


def of_row(row: Row, campaigns: int) -> Counter[tuple[str, str]]:
    """Count people by kind, and those of them who were listed, paused, and by which screens."""
    tally: Counter[tuple[str, str]] = Counter()
    cutoffs = dict.fromkeys(range(1, LOOKS + 1), UNCALIBRATED)
    model, _who = campaign(*row, 0)
    for look in range(1, LOOKS + 1):
        if look in CALIBRATED_AT:
            cutoffs[look] = calibrated(_seen(model, look), Settings())
        elif look > CALIBRATED_AT[0]:
            cutoffs[look] = cutoffs[look - 1]
    for seed in range(1, campaigns + 1):
        tally += _of_campaign(campaign(*row, seed), cutoffs)
    return tally


def _seen(columns: Columns, look: int) -> Columns:
    return taken(columns, np.arange(len(columns.who) * look // LOOKS))


def _of_campaign(made: Campaign, cutoffs: dict[int, Cutoffs]) -> Counter[tuple[str, str]]:
    columns, who = made
    ever: set[tuple[int, str]] = set()
    for look in range(1, LOOKS + 1):
        for said in screen_all(_seen(columns, look), Settings(), cutoffs[look], flagged_only=True):
            ever |= {(said.annotator, "listed"), (said.annotator, said.screen)}
            if said.tier == PAUSED:
                ever.add((said.annotator, "paused"))
    return Counter((kind, "people") for kind in who) + Counter(
        (who[person], what) for person, what in ever
    )


def bound(count: int, n: int, *, upper: bool) -> float:
    """Return the one-sided 95 % Clopper–Pearson bound of a share."""
    if upper:
        return float(beta.ppf(0.95, count + 1, n - count)) if count < n else 1.0
    return float(beta.ppf(0.05, count, n - count + 1)) if count else 0.0


def line(study: str, kind: str, tally: Counter[tuple[str, str]]) -> str:
    n, honest = tally[kind, "people"], kind in crowds.HONEST
    if not n:
        return f"| {study} | {kind} | 0 | – | – | | | |"
    listed, paused = (
        f"{100 * tally[kind, what] / n:.1f} ({100 * bound(tally[kind, what], n, upper=honest):.1f})"
        for what in ("listed", "paused")
    )
    floor = LISTED if honest else FLOORS.get((study, kind))
    at = bound(tally[kind, "listed"], n, upper=honest)
    kept = "" if floor is None else "yes" if (at <= floor if honest else at >= floor) else "NO"
    asked = "" if floor is None else f"{'≤' if honest else '≥'} {100 * floor:.0f}"
    others = [(tally[kind, key], key) for k, key in tally if k == kind]
    by = [f"{key} {count}" for count, key in sorted(others, reverse=True) if "_" in key][:2]
    return f"| {study} | {kind} | {n} | {listed} | {paused} | {asked} | {kept} | {', '.join(by)} |"


def main() -> None:
    """Print the table, and how many honest people of all kinds and studies are paused."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    began = time.monotonic()
    study_wanted, kinds = [*sys.argv[3:5], "", ""][:2]
    rows = [
        (study, kind)
        for study in crowds.STUDIES
        for kind in (NOBODY, *crowds.CARELESS, *crowds.OF_STUDY.get(study, {}))
        if study.startswith(study_wanted) and (not kinds or kind in kinds.split(","))
    ]
    if not rows:
        sys.exit("There is no such study or kind.")
    print("| study | kind | people | listed % | paused % | floor | kept | by |\n|" + "---|" * 8)
    honest: Counter[tuple[str, str]] = Counter()
    every: Counter[str] = Counter()
    with ProcessPoolExecutor(processes) as pool:
        sizes = [campaigns * (MORE if kind == NOBODY else 1) for _study, kind in rows]
        for row, tally in zip(rows, pool.map(of_row, rows, sizes), strict=True):
            if row[1] != NOBODY:
                print(line(*row, tally), flush=True)
            for (kind, what), n in tally.items():
                if kind in crowds.HONEST:
                    honest[f"{row[0]}|{kind}", what] += n
                    every[what] += n
    for study in dict.fromkeys(row[0] for row in rows):
        for kind in crowds.honest_kinds(study):
            mine = Counter({(kind, w): n for (k, w), n in honest.items() if k == f"{study}|{kind}"})
            print(line(study, kind, mine))
    at = bound(every["paused"], every["people"], upper=True)
    print(
        f"\nOf {every['people']} honest people of all kinds {every['listed'] / every['people']:.2%} "
        f"were listed and {every['paused'] / every['people']:.3%} (at most {at:.3%}) paused; "
        f"{PAUSED_:.1%} is the floor: {'kept' if at <= PAUSED_ else 'NOT KEPT'}. "
        f"{(time.monotonic() - began) / 60:.1f} minutes."
    )


if __name__ == "__main__":
    main()
