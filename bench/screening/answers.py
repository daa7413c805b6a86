"""Campaigns of answer correctness, drawn from the released sample, with spammers among them.

The sample (346 judgments by 45 people) is too small to keep people together: each output of a
drawn campaign is one of the sample's, with judgments that were made of it, so honest people agree
as they really did but are all alike. Nobody's highlights were released; they are assumed.
"""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator

from annotate.screening import Columns, Highlights
from bench.screening.campaigns import Campaign, Design, arrivals, draw_places, take
from estimation.core import Floats, Ints

FILE = "price-of-debiasing-qa-sample.jsonl.gz"
MOST = 10  # paragraphs

Words = tuple[int, ...]  # of each paragraph


@dataclass(frozen=True)
class Judgment:
    """One released judgment. verdicts: empty where the answer is implausible."""

    person: int
    plausible: bool
    verdicts: tuple[int, ...]
    seconds: float


@dataclass(frozen=True)
class Output:
    """One released output: words of the question with its answer, of its paragraphs; judgments."""

    asked: int
    words: Words
    judgments: tuple[Judgment, ...]


@dataclass(frozen=True)
class Response:
    """What is handed in. spans: (paragraph, start, end) of what is highlighted, in words."""

    plausible: bool
    verdicts: tuple[int, ...]
    seconds: float
    spans: tuple[tuple[int, int, int], ...]


def load(path: Path) -> list[Output]:
    """Read the released sample."""
    outputs = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            shown, given = record["input"]["contents"], record["output"]["_responses"]
            words = tuple(len(p["passage_text"].split()) for p in shown["passages"])
            asked = len(f"{shown['query']} {shown['answer']}".split())
            rows = zip(
                given["worker_ids"],
                given["plausibility"],
                given["passages"],
                given["time"],
                strict=True,
            )
            judged = tuple(
                Judgment(who, bool(yes), tuple(int(v) for v in said or ()) if yes else (), took)
                for who, yes, said, took in rows
            )
            outputs.append(Output(asked, words, judged))
    return outputs


def highlights(output: Output, verdicts: tuple[int, ...], truth: Floats, rng: Generator) -> tuple:  # type: ignore[type-arg]
    """Assumed: about 8 words near where the evidence is, one time in five somewhere else;
    one highlight in ten is one word, one in twelve the whole paragraph."""
    spans = []
    for p, verdict in enumerate(verdicts):
        if not verdict:
            continue
        length, draw = output.words[p], rng.random()
        size = max(1, round(8 * np.exp(0.6 * rng.standard_normal())))
        size = 1 if draw < 0.1 else length if draw > 1 - 1 / 12 else min(size, length)
        centre = truth[p] if rng.random() < 0.8 else rng.random()
        near = centre * length + rng.normal(0, 2) - size / 2
        start = int(min(max(near, 0), length - size))
        spans.append((p, start, start + size))
    return tuple(spans)


def honest(output: Output, said: Judgment, truth: Floats, rng: Generator) -> Response:
    spans = highlights(output, said.verdicts, truth, rng)
    return Response(said.plausible, said.verdicts, said.seconds, spans)


Spammer = Callable[[Output, Response, Generator], Response]


def _random_place(output: Output, response: Response, size: int | None, rng: Generator) -> Response:
    """The verdicts kept; highlights of so many words anywhere, or of everything."""
    spans = []
    for p, _, _ in response.spans:
        length = output.words[p]
        width = length if size is None else min(size, length)
        start = int(rng.integers(0, length - width + 1))
        spans.append((p, start, start + width))
    return Response(response.plausible, response.verdicts, response.seconds, tuple(spans))


def _all(verdict: int) -> Spammer:
    def answer(output: Output, response: Response, rng: Generator) -> Response:
        said = (verdict,) * len(output.words)
        spans = highlights(output, said, rng.random(MOST), rng)
        return Response(True, said, response.seconds, spans)

    return answer


def _dice(output: Output, response: Response, rng: Generator) -> Response:
    if rng.random() < 0.5:
        return Response(False, (), response.seconds, ())
    said = tuple(int(v) for v in rng.integers(-1, 2, len(output.words)))
    return Response(True, said, response.seconds, highlights(output, said, rng.random(MOST), rng))


def _no(output: Output, response: Response, rng: Generator) -> Response:
    return Response(False, (), response.seconds, ())


def _fast(output: Output, response: Response, rng: Generator) -> Response:
    took = 5 * float(np.exp(0.4 * rng.standard_normal()))
    return Response(response.plausible, response.verdicts, took, response.spans)


KINDS: dict[str, Spammer] = {
    "random (dice)": _dice,
    "random (usual answers)": lambda output, response, rng: response,
    "constant, always implausible": _no,
    "constant, all neutral": _all(0),
    "constant, all support": _all(1),
    "fast": _fast,
    "whole paragraphs": lambda o, r, rng: _random_place(o, r, None, rng),
    "one word anywhere": lambda o, r, rng: _random_place(o, r, 1, rng),
    "five words anywhere": lambda o, r, rng: _random_place(o, r, 5, rng),
}


def campaign(outputs: list[Output], design: Design, rng: Generator) -> Campaign:
    """A drawn campaign. A spammer's answers come from another output of about as many paragraphs."""
    spammers = round(design.spam * design.people) if design.kind else 0
    who, place = draw_places(design, rng)
    shown = rng.integers(0, len(outputs), int(place.max()) + 1)
    truth = rng.random((shown.size, MOST))
    used: dict[int, int] = {}
    responses: list[Response] = []
    order = {k: rng.permutation(len(outputs[o].judgments)) for k, o in enumerate(shown)}
    for person, k in zip(who.tolist(), place.tolist(), strict=True):
        output = outputs[shown[k]]
        said = output.judgments[order[k][used.get(k, 0)]]
        used[k] = used.get(k, 0) + 1
        if person < spammers:
            said = _elsewhere(outputs, output, rng)
            response = honest(output, said, rng.random(MOST), rng)
            responses.append(KINDS[design.kind](output, response, rng))
        else:
            responses.append(honest(output, said, truth[k], rng))
    columns = columns_of(who, place, [outputs[o] for o in shown], responses, rng)
    return Campaign(columns, columns.people < spammers)


def _elsewhere(outputs: list[Output], output: Output, rng: Generator) -> Judgment:
    """What somebody said of another output, cut or filled to this one's paragraphs."""
    other = outputs[rng.integers(0, len(outputs))]
    said = other.judgments[rng.integers(0, len(other.judgments))]
    if not said.plausible:
        return said
    m = len(output.words)
    longer = (said.verdicts * m)[:m]
    return Judgment(said.person, True, longer, said.seconds)


def columns_of(
    who: Ints, place: Ints, shown: list[Output], responses: list[Response], rng: Generator
) -> Columns:
    verdicts = np.full((who.size, MOST), np.nan)
    rows, paragraphs, tokens, lengths = [], [], [], []
    for t, (k, response) in enumerate(zip(place, responses, strict=True)):
        verdicts[t, : len(response.verdicts)] = response.verdicts
        for p, start, end in response.spans:
            rows.append(t)
            paragraphs.append(p)
            tokens.append(frozenset(range(start, end)))
            lengths.append(shown[k].words[p])
    words = [
        shown[k].asked + sum(shown[k].words) * r.plausible
        for k, r in zip(place, responses, strict=True)
    ]
    order = arrivals(who, rng)
    found = Highlights(np.array(rows, int), np.array(paragraphs, int), tokens, np.array(lengths))
    columns = Columns(
        who,
        place,
        order,
        np.array([r.seconds for r in responses], float),
        np.array(words, float),
        plausible=np.array([r.plausible for r in responses], float),
        verdicts=verdicts,
        highlights=found,
    )
    return take(columns, np.argsort(order))


def as_released(outputs: list[Output], rng: Generator) -> Columns:
    """The sample itself, with the people who really judged it."""
    pairs = [(k, said) for k, output in enumerate(outputs) for said in output.judgments]
    truth = rng.random((len(outputs), MOST))
    responses = [honest(outputs[k], said, truth[k], rng) for k, said in pairs]
    who = np.array([said.person for _, said in pairs])
    return columns_of(who, np.array([k for k, _ in pairs]), outputs, responses, rng)
