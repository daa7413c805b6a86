"""Small samples with known answers."""

import numpy as np

from estimation.core import Sample, Scale

ROWS = ("ap0", "aq1", "ar1", "bp0", "cp-1", "cq0", "dr1", "eq1", "fs-1", "ft0")
POOL = (0.2, -0.4, -1.1, 0.9, 0.6, -0.7, 0.1, 0.3, -0.2, 0.5)

# The metric and scores of known answer 2. The last two metric values make the population of 8
# have mean 0 and sd 1, so that standardising changes nothing: p + q = -1.3, p² + q² = 2.89.
X = (-1.2, -0.5, 0.1, 0.4, 1.0, 1.5)
Y = (-1.0, 0.0, 0.0, 1.0, 1.0, 1.0)
REST = ((-1.3 + 4.09**0.5) / 2, (-1.3 - 4.09**0.5) / 2)


def crossed_case() -> Sample:
    """Known answer 2b."""
    return Sample(
        score=np.array([float(row[2:]) for row in ROWS]),
        item=np.array(["abcdefghij".index(row[0]) for row in ROWS]),
        annotator=np.array([ord(row[1]) for row in ROWS]),
        n_population=10,
        scale=Scale(-1, 1),
        metric=np.array(POOL),
    )


def single_case() -> Sample:
    """Known answer 2: one judgment per item, everybody judges once."""
    return Sample(np.array(Y), np.arange(6), np.arange(6), 8, Scale(-1, 1), np.array(X + REST))


def random_sample(seed: int, *, judgments: int = 60, items: int = 25, people: int = 9) -> Sample:
    """Random integer scores on 1..5 over a random incidence; the population is twice `items`."""
    rng = np.random.default_rng(seed)
    pair = rng.permutation(items * people)[:judgments]
    return Sample(
        score=rng.integers(1, 6, judgments).astype(float),
        item=pair // people,
        annotator=pair % people,
        n_population=2 * items,
        scale=Scale(1, 5),
        metric=rng.normal(size=2 * items),
    )
