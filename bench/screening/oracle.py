"""The most that agreement with others can tell of whoever answers at random, or upside down.

Run from the checkout: python -m bench.screening.oracle [people]

An oracle knows everything but who is careless: the latent answers before they are rounded to
levels, everybody's own level, how far texts differ, and that the others are careful. It uses the
likelihood ratio, so by Neyman and Pearson (1933) no screen finds more in the same comparisons, at
the same share of honest people. Edits, times and orders of answers are other evidence.
"""

import sys

import numpy as np
from numpy.random import Generator

from bench.screening.campaigns import RELEASED, TOGETHER, Design
from bench.screening.crowds import QUALITY, RATINGS
from estimation.core import Floats, Scale
from estimation.core.simulation import Marginal, latent_share

SEED = 2089
COMPARISONS = Design().shared
LISTED = (0.008, 0.02)  # shares of honest people
Parts = tuple[Floats, Floats]  # (C, C) what texts contribute, and what is left to chance


def parts(study: str) -> Parts:
    """The covariances of the criteria of one study, without people's levels."""
    if study == QUALITY:
        shares = [
            [
                latent_share(Marginal((-1.0, 0.0, 1.0), chances, Scale(-1, 1)), part / sum(each))
                for part in each[:2]
            ]
            for chances, each in RELEASED.values()
        ]
        item, person = np.array(shares).T
        together = TOGETHER
    else:
        criteria = RATINGS[study][0]
        item, person = np.full(criteria, 0.35), np.full(criteria, 0.15)
        together = 0.6 + 0.4 * np.eye(criteria)

    def of(variance: Floats) -> Floats:
        return np.asarray(together * np.sqrt(np.outer(variance, variance)))

    return of(item), of(1 - item - person)


def ratios(study: str, kind: str, people: int, rng: Generator) -> tuple[Floats, Floats]:
    """(people,) log likelihood ratios for `kind` against honest, of honest and of such people."""
    text, chance = parts(study)
    size = (people, COMPARISONS, len(text))
    root, noise = np.linalg.cholesky(text), np.linalg.cholesky(chance)
    quality = rng.standard_normal(size) @ root.T
    other = quality + rng.standard_normal(size) @ noise.T
    honest = quality + rng.standard_normal(size) @ noise.T
    elsewhere = rng.standard_normal(size) @ root.T + rng.standard_normal(size) @ noise.T
    careless, sign = (elsewhere, 0.0) if kind == "usual" else (-honest, -1.0)

    def odds(mine: Floats) -> Floats:
        return (density(study, mine, other, sign) - density(study, mine, other, 1)).sum(axis=1)

    return odds(honest), odds(careless)


def density(study: str, mine: Floats, other: Floats, shared: float) -> Floats:
    """(...) logarithms of how likely answers (..., C) are beside another's to the same texts.

    shared: 1 of two careful people, 0 where one does not look, -1 where one answers upside down.
    """
    text, chance = parts(study)
    slope = shared * text @ np.linalg.inv(text + chance)
    left = text + chance - slope @ (shared * text)
    apart = mine - other @ slope.T
    distance = np.einsum("...i,ij,...j->...", apart, np.linalg.inv(left), apart)
    return np.asarray(-(distance + np.linalg.slogdet(left)[1]) / 2)


def found(study: str, kind: str, people: int, rng: Generator) -> list[float]:
    """The share of such people that is found, for each of `LISTED`."""
    honest, careless = ratios(study, kind, people, rng)
    return [float((careless > np.quantile(honest, 1 - share)).mean()) for share in LISTED]


def main() -> None:
    """Print the table: percent found."""
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    rng = np.random.default_rng(SEED)
    names = [
        f"{kind}, {100 * share:.1f} % listed" for kind in ("random", "mirrored") for share in LISTED
    ]
    print(f"| study | {' | '.join(names)} |\n{'|---' * (1 + len(names))}|")
    for study in (QUALITY, *RATINGS):
        shares = [one for kind in ("usual", "mirrored") for one in found(study, kind, people, rng)]
        print(f"| {study} | {' | '.join(f'{100 * one:.0f}' for one in shares)} |")


if __name__ == "__main__":
    main()
