"""Reads the data that Chaganty, Mussmann and Liang released with their paper (ACL 2018).

There are two formats: language quality of summaries, and answer correctness. Each line (plain or
gzip) is a JSON object: `input.contents` describes an output, `output._responses` holds parallel
lists, one entry per judgment. `reference` is written by people and is not a competing system.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from annotate.campaigns.problems import Row, RowError, UploadRefused
from annotate.instruments.base import input_as_text

NOT_A_SYSTEM = "reference"
LANGUAGE_QUALITY = {
    "fluency": "grammar",
    "redundancy": "redundancy",
    "overall": "overall",
    "edit": "hter",
}
ANSWER_CORRECTNESS = {"any_correct": "AnyCorrect", "avg_correct": "AvgCorrect"}


@dataclass(frozen=True)
class Recorded:
    """One released judgment: the annotator's number in the file, scores, and seconds."""

    annotator: str
    scores: dict[str, float]
    seconds: float


@dataclass(frozen=True)
class ReleasedOutput:
    """One output, the systems that wrote it, and its judgments."""

    item: str
    systems: tuple[str, ...]
    text: str
    reference: str
    input: str
    paragraphs: tuple[str, ...]
    judgments: tuple[Recorded, ...]

    @property
    def whole_input(self) -> str:
        return input_as_text(self.input, self.paragraphs)


@dataclass(frozen=True)
class Release:
    """A released file: its instrument, its outputs, and what was left out and why."""

    instrument: str
    outputs: tuple[ReleasedOutput, ...]
    notices: tuple[str, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for o in self.outputs for name in o.systems))

    def of(self, system: str) -> list[ReleasedOutput]:
        """Return the outputs that a system wrote, alone or with others."""
        return [output for output in self.outputs if system in output.systems]

    def rows(self, *, only: str | None = None) -> list[Row]:
        """Return upload rows, only of the system `only` if it is given."""
        return [
            Row(
                item=o.item,
                system=name,
                output=o.text,
                reference=o.reference,
                input=o.input,
                paragraphs=o.paragraphs,
            )
            for o in self.outputs
            for name in o.systems
            if only in (None, name)
        ]

    def judgments_of(self, item: str, text: str) -> tuple[Recorded, ...]:
        """Return the judgments of the output of this item with this text."""
        return self._by_text[item, text].judgments

    @cached_property
    def _by_text(self) -> dict[tuple[str, str], ReleasedOutput]:
        return {(o.item, o.text): o for o in self.outputs}


def read(path: Path, *, everything: bool = False) -> Release:
    """Read a released file; raises `UploadRefused` with line numbers for other files.

    `everything` leaves nothing out, as in the paper's statistics over all outputs: the reference
    texts are a system called "reference", and second outputs for an item are kept.
    """
    dropped = "" if everything else NOT_A_SYSTEM
    outputs: list[ReleasedOutput] = []
    kinds: set[bool] = set()
    errors: list[RowError] = []
    for number, line in enumerate(_lines(path), start=1):
        try:
            record = json.loads(line)
            quality = "text" in record["input"]["contents"]
            kinds.add(quality)
            outputs.append(_output(record, quality=quality, dropped=dropped))
        except (ValueError, KeyError, TypeError) as error:
            errors.append(RowError(number, f"not a released judgment record: {error!r}."))
            break
    if not errors and len(kinds) != 1:
        errors.append(RowError(0, "The file is empty, or mixes both released formats."))
    if errors:
        raise UploadRefused(errors)
    instrument = "language_quality" if kinds == {True} else "answer_correctness"
    return Release(instrument, tuple(outputs), ()) if everything else _release(instrument, outputs)


def _lines(path: Path) -> Iterator[bytes]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        yield from file


def _output(record: dict[str, Any], *, quality: bool, dropped: str) -> ReleasedOutput:
    contents, responses = record["input"]["contents"], record["output"]["_responses"]
    named = [name.strip() for name in contents["system"].split(";")]
    names = LANGUAGE_QUALITY if quality else ANSWER_CORRECTNESS
    return ReleasedOutput(
        item=str(contents["id"]),
        systems=tuple(dict.fromkeys(name for name in named if name != dropped)),
        text=contents["text"] if quality else contents["answer"],
        # `answers` repeats the output itself, so it is not a reference for metrics.
        reference=contents["reference"] if quality else "",
        input="" if quality else contents["query"],
        paragraphs=() if quality else tuple(p["passage_text"] for p in contents["passages"]),
        judgments=tuple(_judgments(responses, names)),
    )


def _judgments(responses: dict[str, Any], names: dict[str, str]) -> Iterator[Recorded]:
    for index, worker in enumerate(responses["worker_ids"]):
        # The file leaves correctness empty where no paragraph decides: that is 0.
        scores = {name: float(responses[theirs][index] or 0) for name, theirs in names.items()}
        yield Recorded(f"released-{worker}", scores, float(responses["time"][index]))


def _release(instrument: str, outputs: list[ReleasedOutput]) -> Release:
    """Drop texts that are not a system's, and second outputs of one system for one item."""
    kept: list[ReleasedOutput] = []
    taken: set[tuple[str, str]] = set()
    notices: list[str] = []
    references = sum(not output.systems for output in outputs)
    if references:
        notices.append(f"{references} reference texts left out: they are not a system's.")
    # The output with more judgments comes first and is kept.
    for output in sorted(outputs, key=lambda o: -len(o.judgments)):
        pairs = {(output.item, name) for name in output.systems}
        if pairs & taken:
            notices.append(
                f"item {output.item}: a second output of {', '.join(output.systems)} left out."
            )
        elif pairs:
            taken |= pairs
            kept.append(output)
    return Release(instrument, tuple(kept), tuple(notices))
