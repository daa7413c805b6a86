"""What several metrics save on the released judgments: data efficiency by system and criterion."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from estimation.core import Floats, Sample, cross_fitted, one_way
from estimation.metrics import METRICS
from extras.replication.reproducing import CRITERIA, Data, item_means

# The metrics before this comparison, and those that were added since.
ADDED = (
    "shortest_sentence",
    "sentence_overlap",
    "says_again",
    "most_repeated_word",
    "consensus_f1",
    "consensus_length",
)


@dataclass(frozen=True)
class Gain:
    """One system and criterion; by the name of each set of metrics, the data efficiency.

    cap: what a perfect metric reaches. n_outputs: judged ones.
    """

    system: str
    criterion: str
    n_outputs: int
    cap: float
    efficiency: dict[str, float]


def sets(instrument: str) -> dict[str, tuple[str, ...]]:
    """The sets of metrics that are compared, by name; without references, those for the input."""
    against = "paragraphs" if instrument == "answer_correctness" else "reference"
    every = [m.name for m in METRICS.values() if m.needs in ("nothing", "others", against)]
    before = tuple(name for name in every if name not in ADDED)
    single = "support_1" if against == "paragraphs" else "rouge_1_f"
    one = {name: (name,) for name in (single, "repetition")}
    return {**one, f"{len(before)} metrics": before, f"all {len(every)}": tuple(every)}


def gains(data: Data) -> Iterator[Gain]:
    """Every system and criterion, over all of its judged outputs."""
    for criterion in CRITERIA[data.release.instrument]:
        for system in data.systems:
            sample = data.sample(criterion, system=system)
            chosen = sets(data.release.instrument)
            found = {
                name: efficiency(sample, np.column_stack([data.metrics[system][m] for m in few]))
                for name, few in chosen.items()
            }
            parts = one_way(sample)
            cap = 1 + max(parts.item, 0) / parts.noise
            yield Gain(system, criterion, item_means(sample)[0].size, cap, found)


def efficiency(sample: Sample, metric: Floats) -> float:
    """(σ²_f + σ²_a) / (σ²_f + σ²_a - what the metrics remove), equation (7) out of sample.

    With ρ² σ²_f for what one known metric removes it is that equation. Here it is measured: the
    variance of the items' mean scores less that of the cross-fitted residuals.
    """
    x = replace(sample, metric=metric).standardised_metrics()
    items, mean = item_means(sample)
    found = cross_fitted(x[items], mean)
    removed = mean.var(ddof=1) - (mean - found.predicted).var(ddof=1)
    parts = one_way(sample)
    single = parts.item + parts.noise
    return float(single / (single - removed))


def table(rows: Sequence[Gain]) -> str:
    """The gains of one release as a Markdown table, with the geometric mean of each criterion."""
    sets_of = list(rows[0].efficiency)
    lines = [["criterion", "system", "outputs", *sets_of, "perfect metric"]]
    lines.append(["---"] * len(lines[0]))
    means = geometric(rows)
    for criterion in dict.fromkeys(row.criterion for row in rows):
        own = [row for row in rows if row.criterion == criterion]
        for row in own:
            numbers = [*row.efficiency.values(), row.cap]
            lines.append([criterion, row.system, str(row.n_outputs), *map(_two, numbers)])
        mean = [f"**{means[criterion, name]:.3f}**" for name in sets_of]
        lines.append([criterion, "geometric mean", "", *mean, ""])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _two(value: float) -> str:
    return f"{value:.2f}"


def geometric(rows: Sequence[Gain]) -> dict[tuple[str, str], float]:
    """The geometric mean over systems, by criterion and set of metrics."""
    logs: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        for name, value in row.efficiency.items():
            logs[row.criterion, name].append(np.log(value))
    return {key: float(np.exp(np.mean(values))) for key, values in logs.items()}
