"""The paper's Table 2 and Figures 5 and 6 from a released file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from estimation.core import Floats, Sample
from estimation.known_criteria import KNOWN_SCALES
from estimation.metrics import score_all
from extras.replication import released
from extras.replication.cells import MetricLink, Spread, link, spread
from extras.replication.curves import Curve, curves
from extras.replication.released import NOT_A_SYSTEM, Release, ReleasedOutput
from extras.replication.weighing import WeighedRow, weighed

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

    def outputs(self, system: str) -> list[ReleasedOutput]:
        return outputs_of(self.release, system)

    def sample(self, criterion: str, *, system: str = "", metric: str = "") -> Sample:
        """Return the judgments of one system, or of all outputs, references included."""
        outputs = self.outputs(system) if system else self.release.outputs
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
        return {
            "instrument": self.instrument,
            "n_outputs": self.n_outputs,
            "n_judgments": self.n_judgments,
            "n_annotators": self.n_annotators,
            "has_references": self.has_references,
            "table_2": [_plain(_row(row)) for row in self.table],
            "correlations": [_plain(asdict(row)) for row in self.links],
            "figure_6": [
                {
                    "system": panel.system,
                    "criterion": panel.criterion,
                    "n_outputs": panel.n_outputs,
                    "curves": [_plain(asdict(curve)) for curve in panel.curves],
                }
                for panel in self.panels
            ],
            "estimates": [row.as_data() for row in self.estimates],
        }


def load(path: Path, *, names: tuple[str, ...], progress: Progress = lambda: None) -> Data:
    """Read a released file and score every system's outputs; raises `UploadRefused`."""
    release = released.read(path, everything=True)
    found, written = {}, _written(release)
    for system in release.systems:
        if system != NOT_A_SYSTEM:
            outputs = outputs_of(release, system)
            found[system] = score_all(
                names,
                [output.text for output in outputs],
                _compared_with(outputs),
                paragraphs=[output.paragraphs for output in outputs],
                others=[_others(written[output.item], system) for output in outputs],
            )
            progress()
    return Data(release, found)


def _written(release: Release) -> dict[str, list[tuple[str, str]]]:
    """Return (system, text) by item, without the references."""
    found: dict[str, list[tuple[str, str]]] = {}
    for output in release.outputs:
        own = ((name, output.text) for name in output.systems if name != NOT_A_SYSTEM)
        found.setdefault(output.item, []).extend(own)
    return found


def _others(written: list[tuple[str, str]], system: str) -> list[str]:
    return [text for name, text in written if name != system]


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


def outputs_of(release: Release, system: str) -> list[ReleasedOutput]:
    """Return the outputs that a system wrote, alone or with others."""
    return [output for output in release.outputs if system in output.systems]


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
        for system in data.systems:
            plain = data.sample(criterion, system=system)
            corrected = data.sample(criterion, system=system, metric=metric)
            yield weighed(system, criterion, plain, corrected)


def _row(row: Spread) -> dict[str, Any]:
    """Return a flat row of Table 2 with its ratios."""
    own = {key: value for key, value in asdict(row).items() if key != "crossed"}
    parts = {f"crossed_{name}": value for name, value in asdict(row.crossed).items()}
    return {**own, **parts, "gamma_printed": row.gamma_printed, "gamma": row.gamma}


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: None if isinstance(value, float) and not isfinite(value) else value
        for key, value in values.items()
    }
