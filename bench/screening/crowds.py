"""Campaigns of honest people of several kinds, and what careless people make of their places.

language quality: variance components, times and edits of the released judgments. answers: the
released sample of answer correctness, mixed anew; its 346 judgments are too few to keep people
together, and nobody's highlights were released, so these are assumed. rating C×L: C criteria of L
levels.
"""

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from annotate.screening import Columns, Highlights
from annotate.screening.base import taken
from estimation.core import Floats, Ints, Scale
from estimation.core.simulation import Marginal, latent_share

Mask = NDArray[np.bool_]
Careless = Callable[[Columns, Mask, Generator], Columns]

QUALITY, ANSWERS = "language quality", "answers"
RATINGS = {"rating 1×5": (1, 5), "rating 4×5": (4, 5), "rating 6×5": (6, 5), "rating 8×7": (8, 7)}
STUDIES = (QUALITY, ANSWERS, *RATINGS)
CAP, DOUBLE = 25, 0.25  # judgments of a person; the share of outputs that are judged twice
# Shares of −1, 0, 1 and (item, person, rest) of the released judgments; docs/statistics.md.
RELEASED = {
    "fluency": ((0.098, 0.454, 0.448), (0.105, 0.056, 0.267)),
    "redundancy": ((0.160, 0.274, 0.566), (0.290, 0.035, 0.240)),
    "overall": ((0.117, 0.505, 0.378), (0.139, 0.059, 0.232)),
}
# Correlations of the criteria, which items, people and the rest are given alike.
TOGETHER = np.array([[1, 0.45, 0.75], [0.45, 1, 0.62], [0.75, 0.62, 1]])
FILE, PARAGRAPHS = "price-of-debiasing-qa-sample.jsonl.gz", 10


# ---- honest people ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Person:
    """How one kind of honest people differs from the usual.

    shift: of the latent scores, in standard deviations. care: the noise's share of the usual.
    pace: the time, over the usual. alike: how much less they differ in it. edits: characters, over
    the usual. doubt: the share of judgments of answers that turn towards "no" or "neither", or
    (below 0) towards "yes". one_word: the share of highlights that are one word, at the right place.
    """

    shift: float = 0.0
    care: float = 1.0
    pace: float = 1.0
    alike: float = 1.0
    edits: float = 1.0
    doubt: float = 0.0
    one_word: float = 0.1


HONEST = {
    "usual": Person(),
    "fast experts": Person(care=0.6, pace=0.45, alike=0.4),
    "slow": Person(pace=3.0),
    "lenient": Person(shift=0.7, doubt=-0.25),
    "harsh": Person(shift=-0.7, doubt=0.15),
    "minimal editors": Person(edits=0.25),
    "sceptics": Person(shift=-0.4, doubt=0.35),
    "one-word highlighters": Person(one_word=0.6),
}
WITHOUT = {
    QUALITY: {"sceptics", "one-word highlighters"},
    ANSWERS: {"minimal editors"},
}


def honest_kinds(study: str) -> list[str]:
    """Return the honest kinds that a study can have."""
    without = WITHOUT.get(study, {"minimal editors", "sceptics", "one-word highlighters"})
    return [name for name in HONEST if name not in without]


def drawn(study: str, people: list[Person], rng: Generator) -> Columns:
    """Return one campaign of honest people, in the order of arrival."""
    who, output = _places(len(people), rng)
    if study == ANSWERS:
        return _answers(who, output, people, rng)
    outputs = int(output.max()) + 1
    levels = (-1.0, 0.0, 1.0)
    if study != QUALITY:
        levels = tuple(np.arange(float(RATINGS[study][1])).tolist())
    own = 0.7 * np.array([one.alike for one in people]) * rng.standard_normal(len(people))
    pace = np.array([one.pace for one in people])[who]
    columns = Columns(
        who,
        output,
        _arrivals(who, rng),
        42 * np.exp(own[who] + 0.77 * rng.standard_normal(who.size)) * pace,
        rng.integers(30, 90, outputs).astype(np.float64)[output],
        _scores(study, who, output, people, rng),
        levels=levels,
    )
    if study == QUALITY:
        columns = _edited(columns, people, rng)
    return taken(columns, np.argsort(columns.order))


def _places(people: int, rng: Generator) -> tuple[Ints, Ints]:
    """Return (annotator, output): everybody fills their cap, shared outputs with random others."""
    shared = round(CAP * 2 * DOUBLE / (1 + DOUBLE))
    slots = rng.permutation(np.repeat(np.arange(people), shared))
    pairs = slots[: slots.size // 2 * 2].reshape(-1, 2)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    lone = np.repeat(np.arange(people), CAP - shared)
    output = np.r_[np.repeat(np.arange(len(pairs)), 2), len(pairs) + np.arange(lone.size)]
    return np.r_[pairs.ravel(), lone], output


def _arrivals(annotator: Ints, rng: Generator) -> Floats:
    """Return when each judgment comes: people begin at random and work at their own pace."""
    people = int(annotator.max()) + 1
    begin, pace = 30 * rng.random(people), np.exp(0.5 * rng.standard_normal(people))
    order = np.empty(annotator.size)
    for person in range(people):
        mine = rng.permutation(np.flatnonzero(annotator == person))
        order[mine] = begin[person] + np.cumsum(pace[person] * rng.exponential(size=mine.size))
    return order


def _scores(
    study: str, who: Ints, output: Ints, people: list[Person], rng: Generator
) -> dict[str, Floats]:
    shift = np.array([one.shift for one in people])[who]
    care = np.array([one.care for one in people])[who]
    item, person, rest = (
        _effects(study, n, rng) for n in (int(output.max()) + 1, len(people), who.size)
    )
    found = {}
    for c, (name, (scale, mine, theirs)) in enumerate(_scales(study).items()):
        latent = np.sqrt(mine) * item[output, c] + np.sqrt(theirs) * person[who, c] + shift
        found[name] = scale.scores(latent + care * np.sqrt(1 - mine - theirs) * rest[:, c])
    return found


@cache
def _scales(study: str) -> dict[str, tuple[Marginal, float, float]]:
    """Return each criterion with its scale, and what items and people make of its variance."""
    if study == QUALITY:
        found = {}
        for name, (shares, parts) in RELEASED.items():
            scale = Marginal((-1.0, 0.0, 1.0), shares, Scale(-1, 1))
            item, person = (latent_share(scale, part / sum(parts)) for part in parts[:2])
            found[name] = scale, item, person
        return found
    criteria, levels = RATINGS[study]
    values = np.arange(float(levels))
    weights = np.exp(-(((values - 0.6 * (levels - 1)) / (0.3 * levels)) ** 2) / 2)
    scale = Marginal(tuple(values), tuple(weights / weights.sum()), Scale(0, levels - 1))
    return {f"c{c}": (scale, 0.35, 0.15) for c in range(criteria)}


def _effects(study: str, n: int, rng: Generator) -> Floats:
    """Return (n, C) standard normal effects, correlated as the criteria of the study are."""
    if study == QUALITY:
        return np.asarray(rng.standard_normal((n, 3)) @ np.linalg.cholesky(TOGETHER).T)
    common, own = rng.standard_normal((n, 1)), rng.standard_normal((n, RATINGS[study][0]))
    return np.asarray(np.sqrt(0.6) * common + np.sqrt(0.4) * own)


def _edited(columns: Columns, people: list[Person], rng: Generator) -> Columns:
    """Add edits as released: 43 characters in the middle; larger for worse ratings (log slope
    1.65); log sd .5 between people and 1.1 within, of which outputs make .24."""
    bad = 1 - columns.answers.mean(axis=1)
    noise = [0.5, 1.1 * np.sqrt(0.24), 1.1 * np.sqrt(0.76)]
    parts = (len(people), int(columns.output.max()) + 1, bad.size)
    person, output, rest = (sd * rng.standard_normal(n) for sd, n in zip(noise, parts, strict=True))
    size = np.array([one.edits for one in people])[columns.who]
    log = 3.6 + 1.65 * (bad - 0.75) + person[columns.who] + output[columns.output] + rest
    required = (columns.answers < 1).any(axis=1)
    return replace(
        columns,
        edit_distance=np.where(required, np.maximum(np.ceil(size * np.exp(log)), 1), np.nan),
        edit_text=np.where(required, np.arange(bad.size), -1),
    )


# ---- answer correctness ----------------------------------------------------------------------


@cache
def _released() -> list[tuple[int, list[int], list[tuple[bool, list[int], float]]]]:
    """Return the released outputs: words of the question, words of each paragraph, judgments.

    A judgment is whether the answer is plausible, the verdicts, and the seconds.
    """
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    path = Path(os.environ.get("PLUMBLINE_DATA") or default) / FILE
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [_record(json.loads(line)) for line in file]


def _record(record: Any) -> Any:
    shown, given = record["input"]["contents"], record["output"]["_responses"]
    asked = len(f"{shown['query']} {shown['answer']}".split())
    words = [len(p["passage_text"].split()) for p in shown["passages"]]
    rows = zip(given["plausibility"], given["passages"], given["time"], strict=True)
    return (
        asked,
        words,
        [(bool(yes), list(said or []) if yes else [], took) for yes, said, took in rows],
    )


def _answers(who: Ints, place: Ints, people: list[Person], rng: Generator) -> Columns:
    outputs = _released()
    shown = rng.integers(0, len(outputs), int(place.max()) + 1)
    truth = rng.random((shown.size, PARAGRAPHS))
    order = [rng.permutation(len(outputs[o][2])) for o in shown]
    own = np.exp(0.5 * rng.standard_normal(len(people)))
    used = np.zeros(shown.size, dtype=int)
    plausible, seconds, words = (np.empty(who.size) for _each in range(3))
    verdicts = np.full((who.size, PARAGRAPHS), np.nan)
    marked: list[tuple[int, int, frozenset[int], int]] = []
    for t, (person, k) in enumerate(zip(who.tolist(), place.tolist(), strict=True)):
        asked, lengths, judgments = outputs[shown[k]]
        is_plausible, said, took = judgments[order[k][used[k]]]
        used[k] += 1
        is_plausible, said = _turned(is_plausible, said, people[person].doubt, rng)
        plausible[t], verdicts[t, : len(said)] = is_plausible, said
        seconds[t] = took * people[person].pace * own[person]
        words[t] = asked + sum(lengths) * is_plausible
        for p, verdict in enumerate(said):
            if verdict:
                span = _span(lengths[p], truth[k, p], people[person].one_word, rng)
                marked.append((t, p, span, lengths[p]))
    rows, paragraphs, tokens, length = zip(*marked, strict=True)
    columns = Columns(
        who,
        place,
        _arrivals(who, rng),
        seconds,
        words,
        plausible=plausible,
        verdicts=verdicts,
        highlights=Highlights(np.array(rows), np.array(paragraphs), tokens, np.array(length)),
    )
    return taken(columns, np.argsort(columns.order))


def _turned(yes: bool, said: list[int], doubt: float, rng: Generator) -> tuple[bool, list[int]]:
    if doubt > 0 and rng.random() < doubt:
        return (False, []) if rng.random() < 0.5 else (yes, [min(v, 0) for v in said])
    if doubt < 0 and rng.random() < -doubt:
        return yes, [max(v, 0) for v in said]
    return yes, said


def _span(length: int, truth: float, one_word: float, rng: Generator) -> frozenset[int]:
    """Return the highlighted words, as assumed: about 8 near where the evidence is, one time in
    five somewhere else; some highlights are one word, one in twelve is the whole paragraph."""
    draw = rng.random()
    if draw < one_word:
        return frozenset([min(int(truth * length), length - 1)])
    if draw > 1 - 1 / 12:
        return frozenset(range(length))
    size = min(max(1, round(8 * np.exp(0.6 * rng.standard_normal()))), length)
    centre = truth if rng.random() < 0.8 else rng.random()
    start = int(min(max(centre * length + rng.normal(0, 2) - size / 2, 0), length - size))
    return frozenset(range(start, start + size))


# ---- careless people: each changes the rows (T,) of some people and nothing else ---------------


AFTER = 10  # own judgments after which some begin


def _answered(columns: Columns, rows: Mask, table: Floats, rng: Generator) -> Columns:
    """Return other answers in these rows, (n, C) as `Columns.answers`; edits and highlights follow."""
    if columns.verdicts is not None:
        return _judged(columns, rows, table, rng)
    scores = {name: column.copy() for name, column in columns.scores.items()}
    for column, values in zip(scores.values(), table.T, strict=True):
        column[rows] = values
    found = replace(columns, scores=scores)
    if columns.edit_distance is None:
        return found
    # An edit is asked for unless all is best; where none was made before, one of somebody's.
    needed = (found.answers < max(found.levels)).any(axis=1)
    known = columns.edit_distance[np.isfinite(columns.edit_distance)]
    distance = np.where(
        np.isfinite(columns.edit_distance), columns.edit_distance, rng.choice(known, needed.size)
    )
    return replace(
        found,
        edit_distance=np.where(needed, distance, np.nan),
        edit_text=np.where(needed, np.arange(needed.size), -1),
    )


def _judged(columns: Columns, rows: Mask, table: Floats, rng: Generator) -> Columns:
    assert columns.plausible is not None
    assert columns.verdicts is not None
    plausible, words = columns.plausible.copy(), columns.words.copy()
    usual = np.flatnonzero(columns.plausible == 1)
    n = plausible.size
    source = np.where(columns.plausible == 1, np.arange(n), rng.choice(usual, n))
    plausible[rows] = table[:, 0]
    filled = np.full(columns.verdicts.shape, np.nan)
    filled[rows] = np.nan_to_num(table[:, 1:])
    there = np.isfinite(columns.verdicts)[source] & (plausible == 1)[:, None]
    verdicts = np.where(rows[:, None], np.where(there, filled, np.nan), columns.verdicts)
    now_short = rows & (plausible == 0) & (columns.plausible == 1)
    now_long = rows & (plausible == 1) & (columns.plausible == 0)
    words[now_short] = rng.choice(columns.words[columns.plausible == 0], int(now_short.sum()))
    words[now_long] = columns.words[source[now_long]]
    made = replace(columns, plausible=plausible, verdicts=verdicts, words=words)
    return _highlighted(made, rows, 8, rng)


def _highlighted(columns: Columns, rows: Mask, size: int | None, rng: Generator) -> Columns:
    """Return highlights of so many words anywhere (None: the whole paragraph) in these rows."""
    found = columns.highlights
    assert found is not None
    assert columns.verdicts is not None
    keep = np.flatnonzero(~rows[found.judgment])
    judgment, paragraph = np.nonzero(np.nan_to_num(columns.verdicts) * rows[:, None])
    length = rng.choice(found.length, judgment.size)
    width = length if size is None else np.minimum(size, length)
    start = (rng.random(judgment.size) * (length - width + 1)).astype(int)
    tokens = [frozenset(range(a, a + w)) for a, w in zip(start, width, strict=True)]
    made = Highlights(
        np.r_[found.judgment[keep], judgment],
        np.r_[found.paragraph[keep], paragraph],
        [found.tokens[h] for h in keep.tolist()] + tokens,
        np.r_[found.length[keep], length],
    )
    return replace(columns, highlights=made)


def _number(columns: Columns) -> Ints:
    """Return (T,) the number of each judgment among its person's, from 0."""
    start = np.cumsum(columns.judgments) - columns.judgments
    found = np.empty(columns.turns.size, dtype=np.int64)
    found[columns.turns] = np.arange(found.size) - start[columns.who[columns.turns]]
    return found


def _given(answer: Callable[[Columns, Mask, Generator], Any]) -> Careless:
    """Return people whose answers are `answer`, a number or (n, 1) or (n, C), all plausible."""

    def change(columns: Columns, rows: Mask, rng: Generator) -> Columns:
        table = np.zeros((int(rows.sum()), columns.answers.shape[1]))
        table += answer(columns, rows, rng)
        if columns.plausible is not None:
            table[:, 0] = 1
        return _answered(columns, rows, table, rng)

    return change


best = _given(lambda columns, _rows, _rng: max(columns.levels))
middle = _given(lambda columns, _rows, _rng: sorted(columns.levels)[len(columns.levels) // 2])
alternating = _given(
    lambda columns, rows, _rng: np.where(
        _number(columns)[rows] % 2 == 1, max(columns.levels), min(columns.levels)
    )[:, None]
)


def but_one_in_six(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    return best(columns, rows & (_number(columns) % 6 < 5), rng)


def never(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    """Every answer is implausible."""
    table = np.zeros((int(rows.sum()), columns.answers.shape[1]))
    return _answered(columns, rows, table, rng)


def dice(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    table = rng.choice(np.array(columns.levels), (int(rows.sum()), columns.answers.shape[1]))
    if columns.plausible is not None:
        table[:, 0] = rng.integers(0, 2, len(table))
    return _answered(columns, rows, table, rng)


def usual(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    """Answers of somebody honest to some other text: they look usual and mean nothing."""
    source = rng.choice(np.flatnonzero(~rows), int(rows.sum()))
    return _answered(columns, rows, columns.answers[source], rng)


def mirrored(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    table = max(columns.levels) + min(columns.levels) - columns.answers[rows]
    if columns.plausible is not None:
        table[:, 0] = columns.plausible[rows]
    return _answered(columns, rows, table, rng)


def _seconds(columns: Columns, rows: Mask, typical: float, rng: Generator) -> Columns:
    took = typical * np.exp(0.4 * rng.standard_normal(rows.size))
    return replace(columns, seconds=np.where(rows, took, columns.seconds))


def fast(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    typical = 3 if columns.verdicts is None else 5
    return _seconds(usual(columns, rows, rng), rows, typical, rng)


def fast_after_ten(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    return fast(columns, rows & (_number(columns) >= AFTER), rng)


def quick_no(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    """Implausible in a second, on five of six."""
    mine = rows & (_number(columns) % 6 < 5)
    return _seconds(never(columns, mine, rng), mine, 1.0, rng)


def tiny(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    found = usual(columns, rows, rng)
    assert found.edit_distance is not None
    few = np.where(np.isfinite(found.edit_distance), rng.integers(1, 4, rows.size), np.nan)
    return replace(found, edit_distance=np.where(rows, few, found.edit_distance))


def paste(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    found = usual(columns, rows, rng)
    assert found.edit_distance is not None
    assert found.edit_text is not None
    needed = rows & np.isfinite(found.edit_distance)
    return replace(
        found,
        edit_distance=np.where(needed, rng.integers(150, 300, rows.size), found.edit_distance),
        edit_text=np.where(needed, rows.size + found.who, found.edit_text),
    )


def whole(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    return _highlighted(columns, rows, None, rng)


def one_word(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    return _highlighted(columns, rows, 1, rng)


CARELESS: dict[str, Careless] = {
    "all best": best,
    "all middle": middle,
    "all best but 1 in 6": but_one_in_six,
    "alternating": alternating,
    "dice": dice,
    "usual answers": usual,
    "mirrored": mirrored,
    "fast": fast,
    "fast after ten": fast_after_ten,
}
OF_STUDY: dict[str, dict[str, Careless]] = {
    QUALITY: {"one text pasted": paste, "tiny edits": tiny},
    ANSWERS: {
        "always implausible": never,
        "“No” in a second": quick_no,
        "whole paragraphs": whole,
        "one word anywhere": one_word,
    },
}
