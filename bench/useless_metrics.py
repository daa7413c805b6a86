"""What several metrics cost where none of them says anything, and what they save where some do.

Draws simple random samples, estimates the mean with the metrics and without, and prints the change
of the mean squared error, by how many standard errors the metrics must gain to be used:
`python -m bench.useless_metrics` (4,000 samples a row, some minutes; another number as argument).
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from estimation.core import cross_fitted

SEED = 2018
RULES = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Case:
    """`useful` of the metrics explain r2 of the variance of the scores, equally.

    kind: normal or heavy (lognormal) metrics, rare ones (0 but for one output in 50), or ternary
    scores. alike: the correlation of the metrics. uneven: the sd of the logarithm of the rows'
    weights.
    """

    items: int
    metrics: int = 20
    useful: int = 0
    r2: float = 0.0
    kind: str = "normal"
    alike: float = 0.0
    uneven: float = 0.0

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Metrics (n, p) and scores (n,) of mean 0 over all outputs, and weights (n,)."""
        own = rng.normal(size=(self.items, self.metrics))
        x = (1 - self.alike) ** 0.5 * own + self.alike**0.5 * rng.normal(size=(self.items, 1))
        if self.kind == "heavy":
            x = (np.exp(x) - np.e**0.5) / (np.e * (np.e - 1)) ** 0.5
        if self.kind == "rare":
            x = ((own > 2.0537) - 0.02) / 0.14
        told = x[:, : self.useful].sum(axis=1) / max(self.useful, 1) ** 0.5
        y = self.r2**0.5 * told + (1 - self.r2) ** 0.5 * rng.normal(size=self.items)
        if self.kind == "ternary":
            y = np.sign(y) * (np.abs(y) > 1)
        weight = np.exp(self.uneven * rng.normal(size=self.items))
        return x, y, weight / weight.sum()


NULL = (
    Case(100),
    Case(100, kind="heavy"),
    Case(100, kind="rare"),
    Case(100, kind="ternary"),
    Case(100, alike=0.5),
    Case(100, uneven=0.5),
    Case(100, metrics=40),
    Case(200),
    Case(400),
)
USEFUL = tuple(Case(100, useful=useful, r2=r2) for useful in (1, 20) for r2 in (0.1, 0.2, 0.4))


def errors(case: Case, draws: int, *, rule: float = 0.5) -> np.ndarray:
    """(draws, 2) squared errors without the metrics and with them."""
    return np.array(list(_errors(case, draws, rule, np.random.default_rng(SEED))))


def _errors(
    case: Case, draws: int, rule: float, rng: np.random.Generator
) -> Iterator[tuple[float, float]]:
    for _number in range(draws):
        x, y, weight = case.draw(rng)
        found = cross_fitted(x, y, weight=weight, standard_errors=rule)
        yield float(weight @ y) ** 2, float(weight @ (y - found.predicted)) ** 2


def cost(squares: np.ndarray) -> tuple[float, float]:
    """Relative rise of the mean squared error, and its standard error."""
    without, with_metrics = squares.T
    ratio = with_metrics.mean() / without.mean()
    spread = (with_metrics - ratio * without).std(ddof=1) / len(squares) ** 0.5
    return float(ratio - 1), float(spread / without.mean())


def main(draws: int) -> None:
    """Print a table for each rule of how many standard errors a gain must have."""
    print("| items | metrics | useful | R² | what |" + "".join(f" {r} se |" for r in RULES))
    print("|---|---|---|---|---|" + "---|" * len(RULES))
    for case in (*NULL, *USEFUL):
        cells = []
        for rule in RULES:
            change, error = cost(errors(case, draws, rule=rule))
            cells.append(f"{100 * change:+.1f} ± {100 * error:.1f} %")
        what = " ".join(
            [case.kind, *(["alike"] if case.alike else []), *(["uneven"] if case.uneven else [])]
        )
        row = (case.items, case.metrics, case.useful, case.r2, what, *cells)
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
