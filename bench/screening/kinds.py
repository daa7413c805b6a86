"""Kinds of careless people: what they make of the places of honest ones.

Each changes the rows of some people (T,) of a campaign and leaves everything else as it is.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from annotate.screening import Columns, Highlights
from bench.screening.crowds import ANSWERS, QUALITY, Mask
from estimation.core import Floats, Ints

Careless = Callable[[Columns, Mask, Generator], Columns]
AFTER = 10  # own judgments after which some begin


def answered(columns: Columns, rows: Mask, table: Floats, rng: Generator) -> Columns:
    """Other answers in these rows: (n, C) as `Columns.answers`; edits and highlights follow."""
    if columns.verdicts is not None and columns.plausible is not None:
        return _verdicts(columns, rows, table, rng)
    scores = {name: column.copy() for name, column in columns.scores.items()}
    for column, values in zip(scores.values(), table.T, strict=True):
        column[rows] = values
    found = replace(columns, scores=scores)
    if columns.edit_distance is None:
        return found
    # An edit is asked for unless all is best; where none was made before, one of somebody's.
    needed = (found.answers < max(found.levels)).any(axis=1)
    known = columns.edit_distance[np.isfinite(columns.edit_distance)]
    some = rng.choice(known, needed.size)
    distance = np.where(np.isfinite(columns.edit_distance), columns.edit_distance, some)
    return replace(
        found,
        edit_distance=np.where(needed, distance, np.nan),
        edit_text=np.where(needed, np.arange(needed.size), -1),
    )


def _verdicts(columns: Columns, rows: Mask, table: Floats, rng: Generator) -> Columns:
    assert columns.plausible is not None
    assert columns.verdicts is not None
    plausible, verdicts = columns.plausible.copy(), columns.verdicts.copy()
    there = np.isfinite(verdicts)
    usual = np.flatnonzero(columns.plausible == 1)
    m, words = there.sum(axis=1), columns.words.copy()
    source = np.where(columns.plausible == 1, np.arange(m.size), rng.choice(usual, m.size))
    count = m[source]
    inside = np.arange(verdicts.shape[1]) < count[:, None]
    plausible[rows] = table[:, 0]
    filled = np.full(verdicts.shape, np.nan)
    filled[rows] = np.nan_to_num(table[:, 1:])
    new = np.where(inside & (plausible == 1)[:, None], filled, np.nan)
    verdicts[rows] = new[rows]
    short = columns.words[columns.plausible == 0]
    now_short = rows & (plausible == 0) & (columns.plausible == 1)
    now_long = rows & (plausible == 1) & (columns.plausible == 0)
    words[now_short] = rng.choice(short, int(now_short.sum()))
    words[now_long] = columns.words[source[now_long]]
    made = replace(columns, plausible=plausible, verdicts=verdicts, words=words)
    return highlighted(made, rows, 8, rng)


def highlighted(columns: Columns, rows: Mask, size: int | None, rng: Generator) -> Columns:
    """Highlights of so many words anywhere (None: the whole paragraph) in these rows."""
    found = columns.highlights
    assert found is not None
    assert columns.verdicts is not None
    keep = np.flatnonzero(~rows[found.judgment])
    judgment, paragraph = np.nonzero(np.nan_to_num(columns.verdicts) * rows[:, None])
    length = rng.choice(found.length, judgment.size)
    width = length if size is None else np.minimum(size, length)
    start = (rng.random(judgment.size) * (length - width + 1)).astype(int)
    tokens = [
        frozenset(range(a, a + w)) for a, w in zip(start.tolist(), width.tolist(), strict=True)
    ]
    return replace(
        columns,
        highlights=Highlights(
            np.r_[found.judgment[keep], judgment],
            np.r_[found.paragraph[keep], paragraph],
            [found.tokens[h] for h in keep.tolist()] + tokens,
            np.r_[found.length[keep], length],
        ),
    )


def late(columns: Columns, rows: Mask) -> Mask:
    """Which of these rows come after a person's first ones."""
    return rows & (number(columns) >= AFTER)


def number(columns: Columns) -> Ints:
    """(T,) the number of each judgment among its person's, from 0."""
    order = np.lexsort((columns.order, columns.who))
    start = np.cumsum(columns.judgments) - columns.judgments
    found = np.empty(order.size, dtype=np.int64)
    found[order] = np.arange(order.size) - start[columns.who[order]]
    return found


def _constant(value: Callable[[Columns], float]) -> Careless:
    def change(columns: Columns, rows: Mask, rng: Generator) -> Columns:
        table = np.full((int(rows.sum()), columns.answers.shape[1]), value(columns))
        if columns.plausible is not None:
            table[:, 0] = 1
        return answered(columns, rows, table, rng)

    return change


best = _constant(lambda columns: max(columns.levels))
middle = _constant(lambda columns: float(sorted(columns.levels)[len(columns.levels) // 2]))


def never(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    """Every answer is implausible."""
    table = np.zeros((int(rows.sum()), columns.answers.shape[1]))
    return answered(columns, rows, table, rng)


def dice(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    shape = (int(rows.sum()), columns.answers.shape[1])
    table = rng.choice(np.array(columns.levels), shape)
    if columns.plausible is not None:
        table[:, 0] = rng.integers(0, 2, shape[0])
    return answered(columns, rows, table, rng)


def usual(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    """Answers of somebody honest to some other text: they look usual and mean nothing."""
    source = rng.choice(np.flatnonzero(~rows), int(rows.sum()))
    return answered(columns, rows, columns.answers[source], rng)


def mirrored(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    table = max(columns.levels) + min(columns.levels) - columns.answers[rows]
    if columns.plausible is not None:
        table[:, 0] = columns.plausible[rows]
    return answered(columns, rows, table, rng)


def alternating(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    odd = number(columns)[rows] % 2 == 1
    table = np.where(odd, max(columns.levels), min(columns.levels))[:, None]
    table = np.repeat(table, columns.answers.shape[1], axis=1)
    if columns.plausible is not None:
        table[:, 0] = 1
    return answered(columns, rows, table, rng)


def drift(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    return best(columns, late(columns, rows), rng)


def but_one_in_six(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    return best(columns, rows & (number(columns) % 6 < 5), rng)


def _seconds(columns: Columns, rows: Mask, typical: float, rng: Generator) -> Columns:
    took = typical * np.exp(0.4 * rng.standard_normal(rows.size))
    return replace(columns, seconds=np.where(rows, took, columns.seconds))


def fast(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    typical = 3 if columns.verdicts is None else 5
    return _seconds(usual(columns, rows, rng), rows, typical, rng)


def fast_later(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    return fast(columns, late(columns, rows), rng)


def quick_no(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    """Implausible in a second, on five of six."""
    mine = rows & (number(columns) % 6 < 5)
    return _seconds(never(columns, mine, rng), mine, 1.0, rng)


def tiny(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    found = usual(columns, rows, rng)
    assert found.edit_distance is not None
    few = np.where(np.isfinite(found.edit_distance), rng.integers(1, 4, rows.size), np.nan)
    return replace(found, edit_distance=np.where(rows, few, found.edit_distance))


def mostly_tiny(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    return tiny(columns, rows & (rng.random(rows.size) < 0.8), rng)


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


def rewriter(columns: Columns, rows: Mask, rng: Generator) -> Columns:
    """Good ratings go, and a language model writes every text anew: 3 to 5 characters a word."""
    assert columns.edit_distance is not None
    needed = rows & np.isfinite(columns.edit_distance)
    size = columns.words * (3 + 2 * rng.random(rows.size))
    return replace(columns, edit_distance=np.where(needed, size, columns.edit_distance))


def _words(size: int | None) -> Careless:
    return lambda columns, rows, rng: highlighted(columns, rows, size, rng)


ALWAYS: dict[str, Careless] = {
    "random (dice)": dice,
    "random (usual answers)": usual,
    "constant, all best": best,
    "constant, all middle": middle,
    "all best but 1 in 6": but_one_in_six,
    "drift to all best after 10": drift,
    "alternating best and worst": alternating,
    "mirrored scale": mirrored,
    "fast": fast,
    "fast after 10": fast_later,
}
OF_STUDY: dict[str, dict[str, Careless]] = {
    QUALITY: {
        "copy-paste, one text": paste,
        "tiny edits": tiny,
        "tiny edits, 4 of 5": mostly_tiny,
        "language model rewrites": rewriter,
    },
    ANSWERS: {
        "constant, always implausible": never,
        "“No” in a second, 5 of 6": quick_no,
        "whole paragraphs": _words(None),
        "one word anywhere": _words(1),
        "five words anywhere": _words(5),
    },
}


def kinds_of(study: str) -> dict[str, Careless]:
    """The careless kinds that a study can have."""
    return ALWAYS | OF_STUDY.get(study, {})
