"""How strongly `repetition` predicts the spread of released HTER, for each system.

Run from the checkout: python -m bench.active.released FILE.jsonl.gz
"""

import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from bench.active.drawing import FLOOR
from estimation.core import Floats, cross_fitted
from estimation.metrics import get

SYSTEMS = ("seq2seq", "pointer", "ml", "ml+rl")


def read(file: Path) -> dict[str, tuple[Floats, Floats]]:
    """(repetition, mean HTER) of each system's judged outputs."""
    rows, repetition = defaultdict(list), get("repetition")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            contents, judged = row["input"]["contents"], row["output"]["_responses"]
            scores = [score for score in judged["hter"] if score is not None]
            for system in contents["system"].split(";"):
                if scores:
                    rows[system].append(
                        (repetition.function(contents["text"]), float(np.mean(scores)))
                    )
    columns = {system: np.array(rows[system]).T for system in SYSTEMS}
    return {system: (x, y) for system, (x, y) in columns.items()}


def gain(x: Floats, y: Floats) -> float:
    """The variance of a weighted mean of residuals over that of the plain one, items as many.

    Mean and spread are predicted from other outputs, the spread by x and x².
    """
    left = y - cross_fitted(x[:, None], y).predicted
    left -= left.mean()
    features = np.column_stack([x, x**2 - 1])
    spread = np.abs(left).mean() + cross_fitted(features, np.abs(left)).predicted
    chance = np.maximum(spread, FLOOR * spread.mean())
    return float((left**2 / chance).mean() * chance.mean() / (left**2).mean())


def line(system: str, x: Floats, y: Floats) -> str:
    """A row of the table."""
    x = (x - x.mean()) / x.std()
    left = y - y.mean() - x * (x @ y) / y.size
    quarter = np.digitize(x, np.quantile(x, (0.25, 0.5, 0.75)))
    spreads = " / ".join(f"{left[quarter == part].std():.2f}" for part in range(4))
    return f"| {system} | {y.size} | {np.corrcoef(x, y)[0, 1]:.2f} | {spreads} | {gain(x, y):.3f} |"


if __name__ == "__main__":
    for name, columns in read(Path(sys.argv[1])).items():
        print(line(name, *columns), flush=True)
