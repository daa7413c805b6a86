"""The numbers of the paper's Table 2 and Figures 5 and 6, from a released file."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from estimation.core import (
    AnyEstimator,
    Crossed,
    Floats,
    Sample,
    crossed,
    data_efficiency,
    data_efficiency_cap,
    estimate,
    human_metric_correlation,
    normalised_annotator_variance,
    one_way,
    variance_of_item_means,
)
from estimation.from_files import KNOWN_CRITERIA, KNOWN_SCALES
from estimation.metrics import score_all
from extras.replication import released
from extras.replication.released import NOT_A_SYSTEM, Release, ReleasedOutput


@dataclass(frozen=True)
class Spread:
    """Table 2 for one criterion, in squared score units.

    noise: MSW.
    mean_within: the mean over outputs of the variance of each one's scores, which the paper prints
        as sigma_a².
    item_means: the variance of item means, which the paper prints as sigma_f².
    item: the unbiased one-way estimate of sigma_f².
    crossed: separate components of items, people and the rest.
    """

    criterion: str
    n_outputs: int
    n_judgments: int
    noise: float
    mean_within: float
    item_means: float
    item: float
    crossed: Crossed

    @property
    def gamma_printed(self) -> float:
        """Return the ratio as the paper's table has it."""
        return self.mean_within / self.item_means

    @property
    def gamma(self) -> float:
        """Return sigma_a² / sigma_f² with the unbiased sigma_f²; infinite unless it is above 0."""
        return self.noise / self.item if self.item > 0 else float("inf")


@dataclass(frozen=True)
class MetricLink:
    """The relation of one metric with the human scores of one system on one criterion.

    r: Pearson's correlation of item means with the metric (Figure 5).
    rho: the same without the noise of the means, equation (5).
    efficiency, cap: equation (7) and its bound.
    None where sigma_f² is not positive or the metric does not vary.
    """

    system: str
    criterion: str
    metric: str
    n_outputs: int
    r: float | None
    rho: float | None
    gamma: float | None
    efficiency: float | None
    cap: float | None


def spread(criterion: str, sample: Sample) -> Spread:
    """Return Table 2's row over all judged outputs. Raises ReplicatesNeededError."""
    by_item = one_way(sample)
    return Spread(
        criterion=criterion,
        n_outputs=np.unique(sample.item).size,
        n_judgments=sample.n_judgments,
        noise=by_item.noise,
        mean_within=mean_within(sample),
        item_means=variance_of_item_means(sample),
        item=by_item.item,
        crossed=crossed(sample),
    )


def link(system: str, criterion: str, metric: str, sample: Sample) -> MetricLink:
    """Return the correlation and its data efficiency; the sample contains the metric."""
    gamma, rho = normalised_annotator_variance(sample), human_metric_correlation(sample)
    items, mean = item_means(sample)
    metric_of_judged = sample.standardised_metric()[items]
    varies = np.ptp(metric_of_judged) > 0 and np.ptp(mean) > 0
    known = rho is not None and gamma is not None and varies
    return MetricLink(
        system=system,
        criterion=criterion,
        metric=metric,
        n_outputs=items.size,
        r=float(np.corrcoef(mean, metric_of_judged)[0, 1]) if varies else None,
        rho=rho if varies else None,
        gamma=gamma,
        efficiency=data_efficiency(rho=rho, gamma=gamma) if known else None,  # type: ignore[arg-type]
        cap=data_efficiency_cap(gamma=gamma) if gamma else None,
    )


def mean_within(sample: Sample) -> float:
    """Return the mean, over items judged twice or more, of the variance of an item's scores."""
    _, index, count = np.unique(sample.item, return_inverse=True, return_counts=True)
    mean = np.bincount(index, sample.score) / count
    squares = np.bincount(index, (sample.score - mean[index]) ** 2)
    several = count > 1
    return float((squares[several] / (count[several] - 1)).mean())


def item_means(sample: Sample) -> tuple[np.ndarray, Floats]:
    """Return (judged items ascending, their mean scores)."""
    items, index = np.unique(sample.item, return_inverse=True)
    return items, np.bincount(index, sample.score) / np.bincount(index)


SIZES = tuple(range(50, 501, 50))
TAILS = (0.1, 0.9)  # the paper's 80 % intervals
HUMAN, NOISELESS, PERFECT = "human judgments alone", "noiseless judgments", "perfect metric"


@dataclass(frozen=True)
class Curve:
    """Widths of the interval at each of `SIZES`, and the data efficiency against judgments alone.

    The data efficiency is the ratio of squared widths, averaged over the sizes, as in section 5.
    """

    label: str
    widths: tuple[float, ...]
    efficiency: float


def curves(
    sample: Sample, metrics: dict[str, Floats], *, noiseless_with: str, replicates: int, seed: int
) -> list[Curve]:
    """Return the curves of one panel: judgments alone, each metric, and the paper's conjectures.

    metrics: name -> (N,) values.
    noiseless_with: the metric used for noiseless judgments.
    A bootstrap sample draws an output with replacement, then one of its judgments, so that every
    judgment is an independent draw as in the paper's model. All curves share their draws.
    """
    rng = np.random.default_rng(seed)
    items, mean = item_means(sample)
    at = rng.integers(0, items.size, (replicates, max(SIZES)))
    score = _a_judgment_of_each(sample, at, rng)
    plain = _widths(score, np.zeros_like(score))
    found = {HUMAN: plain}
    for name, values in metrics.items():
        found[name] = _widths(score, _standardised(values)[items][at])
    without_noise = _standardised(metrics[noiseless_with])[items][at]
    found[NOISELESS] = _widths(mean[at], without_noise)
    found[PERFECT] = _widths(score, _standardised(mean)[at])
    return [
        Curve(name, tuple(widths.tolist()), float(np.mean((plain / widths) ** 2)))
        for name, widths in found.items()
    ]


def _a_judgment_of_each(sample: Sample, at: np.ndarray, rng: np.random.Generator) -> Floats:
    """Return the score of one random judgment of each of the judged items `at`."""
    order = np.argsort(sample.item, kind="stable")
    _, first, count = np.unique(sample.item[order], return_index=True, return_counts=True)
    chosen = first[at] + (rng.random(at.shape) * count[at]).astype(np.int64)
    return np.asarray(sample.score[order][chosen])


def _standardised(values: Floats) -> Floats:
    deviation = values - values.mean()
    sd = deviation.std()
    return np.asarray(deviation / sd if sd > 0 else deviation)


def _widths(y: Floats, x: Floats) -> Floats:
    """Return (sizes,) the width of Algorithm 1's bootstrap interval; with x = 0 the mean's."""
    starts = np.array((0, *SIZES[:-1]))
    n = np.array(SIZES)
    mean_y, mean_x, mean_xy = (
        np.cumsum(np.add.reduceat(values, starts, axis=1), axis=1) / n for values in (y, x, x * y)
    )
    estimate = mean_y - (mean_xy - mean_x * mean_y) * mean_x
    low, high = np.quantile(estimate, TAILS, axis=0)
    return np.asarray(high - low)


LEVEL = 0.95
# The balanced mean without a metric tells what the weights do from what the metric does.
WAYS: dict[str, tuple[AnyEstimator, bool]] = {
    "mean": ("mean", False),
    "regression": ("regression", True),
    "balanced mean": ("balanced", False),
    "balanced": ("balanced", True),
}
PAIRS = (
    ("mean", "regression"),
    ("balanced mean", "balanced"),
    ("regression", "balanced"),
    ("mean", "balanced"),
)


@dataclass(frozen=True)
class Weighed:
    """One estimate of a system on a criterion from all its judgments, and its interval."""

    way: str
    estimate: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


@dataclass(frozen=True)
class WeighedRow:
    """The estimates of one system on one criterion, one for each of `WAYS`."""

    system: str
    criterion: str
    found: tuple[Weighed, ...]

    def efficiency(self, first: str, second: str) -> float:
        """Return the squared width of the first way over that of the second."""
        width = {one.way: one.width for one in self.found}
        return (width[first] / width[second]) ** 2


LABELS = {
    "fluency": "Fluency",
    "redundancy": "Redundancy",
    "overall": "Overall",
    "edit": "Edit",
    "any_correct": "AnyCorrect",
    "avg_correct": "AvgCorrect",
    "bleu": "BLEU",
    "rouge_1_f": "ROUGE-1",
    "rouge_2_f": "ROUGE-2",
    "rouge_l_f": "ROUGE-L",
    "meteor_exact_stem": "METEOR (stems)",
    "chrf": "chrF",
    "repetition": "repetition",
    "repetition_edit": "repetition as an edit",
    "adjacent_duplicates": "doubled words",
    "unknown_tokens": "unknown words",
    "length": "length",
}


def label(name: str) -> str:
    return LABELS.get(name, name)


def number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """Return a table with padded columns, so that its source is readable."""
    lines = [head, *rows]
    widths = [max(3, *(len(line[k]) for line in lines)) for k in range(len(head))]
    padded = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |"
        for line in lines
    ]
    rule = "|" + "|".join("-" * (w + 2) for w in widths) + "|"
    return "\n".join([padded[0], rule, *padded[1:]])


CRITERIA = {
    "language_quality": ("fluency", "redundancy", "overall", "edit"),
    "answer_correctness": ("any_correct", "avg_correct"),
}
# The subjects of Figures 5 and 6.
SHOWN = {
    "language_quality": ("edit", "overall"),
    "answer_correctness": CRITERIA["answer_correctness"],
}
# The metric without a reference in Figure 6, chosen beforehand: repetition for summaries; answers
# are too short to repeat anything.
REFERENCE_FREE = {"language_quality": "repetition", "answer_correctness": "length"}
ROUGE = "rouge_1_f"
METRICS = (
    "bleu",
    "rouge_1_f",
    "rouge_2_f",
    "rouge_l_f",
    "meteor_exact_stem",
    "chrf",
    "repetition",
    "repetition_edit",
    "adjacent_duplicates",
    "unknown_tokens",
    "length",
)

Progress = Callable[[], object]


@dataclass(frozen=True)
class Panel:
    """Figure 6 for one system and criterion."""

    system: str
    criterion: str
    n_outputs: int
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Data:
    """A released file with its references, and the metrics of every system's outputs."""

    release: Release
    metrics: dict[str, dict[str, Floats]]  # system -> metric -> (N,)

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the competing systems, without the references."""
        return tuple(name for name in self.release.systems if name != NOT_A_SYSTEM)

    @cached_property
    def people(self) -> dict[str, int]:
        """Return the numbers of the annotators."""
        names = (j.annotator for o in self.release.outputs for j in o.judgments)
        return {name: number for number, name in enumerate(dict.fromkeys(names))}

    def sample(self, criterion: str, *, system: str = "", metric: str = "") -> Sample:
        """Return the judgments of one system, or of all outputs, references included."""
        outputs = self.release.of(system) if system else self.release.outputs
        rows = [(place, j) for place, output in enumerate(outputs) for j in output.judgments]
        return Sample(
            score=np.array([judgment.scores[criterion] for _, judgment in rows]),
            item=np.array([place for place, _ in rows]),
            annotator=np.array([self.people[judgment.annotator] for _, judgment in rows]),
            n_population=len(outputs),
            scale=KNOWN_SCALES[criterion],
            metric=self.metrics[system][metric] if metric else None,
        )


@dataclass(frozen=True)
class Reproduction:
    """The results from one released file."""

    instrument: str
    n_outputs: int
    n_judgments: int
    n_annotators: int
    has_references: bool  # otherwise the metrics compare with the question and the paragraphs
    table: tuple[Spread, ...]
    links: tuple[MetricLink, ...]
    panels: tuple[Panel, ...]
    estimates: tuple[WeighedRow, ...]

    def as_data(self) -> dict[str, Any]:
        """Return JSON values; unknown and infinite values are None."""
        named = {"table": "table_2", "links": "correlations", "panels": "figure_6"}
        told = {named.get(name, name): value for name, value in asdict(self).items()}
        whole: dict[str, Any] = _plain(told | {"table_2": [_row(row) for row in self.table]})
        return whole


def load(path: Path, *, names: tuple[str, ...], progress: Progress = lambda: None) -> Data:
    """Read a released file and score every system's outputs; raises `UploadRefused`."""
    release = released.read(path, everything=True)
    found, written = {}, defaultdict[str, list[tuple[str, str]]](list)  # of an item: system, text
    for output in release.outputs:
        own = ((name, output.text) for name in output.systems if name != NOT_A_SYSTEM)
        written[output.item].extend(own)
    for system in release.systems:
        if system != NOT_A_SYSTEM:
            outputs = release.of(system)
            found[system] = score_all(
                names,
                [output.text for output in outputs],
                _compared_with(outputs),
                paragraphs=[output.paragraphs for output in outputs],
                others=[
                    [text for name, text in written[output.item] if name != system]
                    for output in outputs
                ],
            )
            progress()
    return Data(release, found)


def reproduce(
    data: Data, *, replicates: int = 10_000, seed: int = 0, progress: Progress = lambda: None
) -> Reproduction:
    """Compute everything that the paper prints and the file allows."""
    release = data.release
    return Reproduction(
        instrument=release.instrument,
        n_outputs=sum(bool(output.judgments) for output in release.outputs),
        n_judgments=sum(len(output.judgments) for output in release.outputs),
        n_annotators=len(data.people),
        has_references=has_references(release.outputs),
        table=tuple(spread(name, data.sample(name)) for name in CRITERIA[release.instrument]),
        links=tuple(_links(data)),
        panels=tuple(_panels(data, replicates, seed, progress)),
        estimates=tuple(_estimates(data)),
    )


def _compared_with(outputs: list[ReleasedOutput]) -> list[str]:
    """Return the references; without any, the question and the paragraphs.

    In the released answers, each list of reference answers contains only the answer itself.
    """
    own = has_references(outputs)
    return [output.reference if own else output.whole_input for output in outputs]


def has_references(outputs: Sequence[ReleasedOutput]) -> bool:
    """Return whether there is a reference that differs from its output."""
    return any(output.reference not in ("", output.text) for output in outputs)


def _links(data: Data) -> Iterator[MetricLink]:
    for criterion in SHOWN[data.release.instrument]:
        for system in data.systems:
            for metric in data.metrics[system]:
                sample = data.sample(criterion, system=system, metric=metric)
                yield link(system, criterion, metric, sample)


def _panels(data: Data, replicates: int, seed: int, progress: Progress) -> Iterator[Panel]:
    names = (ROUGE, REFERENCE_FREE[data.release.instrument])
    for criterion in SHOWN[data.release.instrument]:
        for system in data.systems:
            sample = data.sample(criterion, system=system)
            found = curves(
                sample,
                {name: data.metrics[system][name] for name in names},
                noiseless_with=ROUGE,
                replicates=replicates,
                seed=seed,
            )
            yield Panel(system, criterion, sample.n_population, tuple(found))
            progress()


def _estimates(data: Data) -> Iterator[WeighedRow]:
    metric = REFERENCE_FREE[data.release.instrument]
    for criterion in SHOWN[data.release.instrument]:
        known = KNOWN_CRITERIA[criterion]
        for system in data.systems:
            found = []
            for way, (estimator, has_metric) in WAYS.items():
                made = estimate(
                    data.sample(criterion, system=system, metric=metric if has_metric else ""),
                    estimator=estimator,
                    balance=known.balance,
                    person_share=known.person_share,
                    finite_population=False,
                )
                ends = made.interval(LEVEL)
                found.append(Weighed(way, made.estimate, ends.low, ends.high))
            yield WeighedRow(system, criterion, tuple(found))


def _row(row: Spread) -> dict[str, Any]:
    """Return a flat row of Table 2 with its ratios."""
    own = {key: value for key, value in asdict(row).items() if key != "crossed"}
    parts = {f"crossed_{name}": value for name, value in asdict(row.crossed).items()}
    return {**own, **parts, "gamma_printed": row.gamma_printed, "gamma": row.gamma}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value
