"""The columns of one campaign from those of its parts, and parts of its columns."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.screening.base import Columns, Highlights
from annotate.screening.grouping import once
from estimation.core import Floats, Ints

ALONE = (
    *("annotator", "output", "order", "seconds", "words"),
    *("edit_distance", "edit_text", "item", "plausible", "turned", "unseen"),
)


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the rows of all parts in their order; the parts come from one instrument.

    Labels (annotators, outputs, items, edited texts) mean the same in all parts. Raises ValueError
    where there is no part.
    """
    if not parts:
        raise ValueError("There are no columns to join.")
    first = parts[0]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ALONE
        if getattr(first, name) is not None
    }
    return Columns(
        **columns,
        scores={
            name: np.concatenate([part.scores[name] for part in parts]) for name in first.scores
        },
        verdicts=_verdicts(parts),
        highlights=_highlights(parts),
        levels=first.levels,
    )


def added(columns: Columns, **more: Any) -> Columns:
    """Return the columns with something more, and what was computed from them.

    Parts of the columns are taken again, because they have something more as well.
    """
    found = replace(columns, **more)
    for name, kept in vars(columns).items():
        vars(found).setdefault(name, kept)
    memory = vars(columns).get("_once", {})
    whole = {key: kept for key, kept in memory.items() if not isinstance(kept, Columns)}
    vars(found)["_once"] = whole
    return found


def _verdicts(parts: Sequence[Columns]) -> Floats | None:
    """Return (T, P) verdicts, NaN beyond the paragraphs of a part."""
    tables = [part.verdicts for part in parts if part.verdicts is not None]
    if not tables:
        return None
    widest = max(table.shape[1] for table in tables)
    gaps = [((0, 0), (0, widest - table.shape[1])) for table in tables]
    padded = [
        np.pad(table, gap, constant_values=np.nan) for table, gap in zip(tables, gaps, strict=True)
    ]
    return np.concatenate(padded)


def _highlights(parts: Sequence[Columns]) -> Highlights | None:
    """Return the highlights of all parts, each by its judgment's row in the whole."""
    sizes = [len(part.annotator) for part in parts]
    starts = np.cumsum([0, *sizes[:-1]])
    found = [
        (start, part.highlights)
        for start, part in zip(starts, parts, strict=True)
        if part.highlights is not None
    ]
    if not found:
        return None
    return Highlights(
        np.concatenate([own.judgment + start for start, own in found]),
        np.concatenate([own.paragraph for _start, own in found]),
        [tokens for _start, own in found for tokens in own.tokens],
        np.concatenate([own.length for _start, own in found]),
    )


@once
def last(columns: Columns, most: int) -> Columns:
    """Return the last judgments of each annotator, at most so many."""
    return taken(columns, np.flatnonzero(lately(columns, most)))


def lately(columns: Columns, most: int) -> NDArray[np.bool_]:
    """Return (T,) which judgments are the last of their annotators, at most so many of each."""
    end = np.repeat(np.cumsum(columns.judgments), columns.judgments)
    return _by_turns(columns, end - np.arange(end.size) <= most)


def early(columns: Columns, most: int) -> NDArray[np.bool_]:
    """Return (T,) which judgments are the first of their annotators, at most so many of each."""
    start = np.repeat(np.cumsum(columns.judgments) - columns.judgments, columns.judgments)
    return _by_turns(columns, np.arange(start.size) - start < most)


def _by_turns(columns: Columns, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return (T,) by rows what is given in the order of `Columns.turns`."""
    found = np.empty_like(kept)
    found[columns.turns] = kept
    return found


def taken(columns: Columns, rows: Ints) -> Columns:
    """Return the columns of some judgments, with their highlights."""
    cut = {name: column[rows] for name in ALONE if (column := getattr(columns, name)) is not None}
    if columns.verdicts is not None:
        cut["verdicts"] = columns.verdicts[rows]
    scores = {name: column[rows] for name, column in columns.scores.items()}
    found = columns.highlights
    if found is not None:
        place = np.full(len(columns.annotator), -1)
        place[rows] = np.arange(len(rows))
        kept = np.flatnonzero(place[found.judgment] >= 0)
        found = Highlights(
            place[found.judgment[kept]],
            found.paragraph[kept],
            [found.tokens[h] for h in kept.tolist()],
            found.length[kept],
        )
    return replace(columns, **cut, scores=scores, highlights=found)
