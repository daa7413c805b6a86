"""What the screens see of a campaign: its judgments as columns, without systems or estimates."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Max, QuerySet, Sum

from annotate.instruments.base import Instrument
from annotate.models import Assignment, Campaign, Item, Judgment, Review
from annotate.screening.base import Columns, Highlights
from annotate.selectors.studies import instruments

_WORD = re.compile(r"\S+")
_Edges = list[list[tuple[int, int]]]  # of the words of each paragraph
_COLUMNS = (
    "pk",
    "annotator",
    "output",
    "output__item",
    "output__words",
    "output__item__words",
    "active_seconds",
    "elapsed_seconds",
    "response",
)


@dataclass(frozen=True)
class _Row:
    """One judgment, as much as a screen may know of it."""

    id: int
    annotator: int
    output: int
    item: int
    text_words: int
    input_words: int
    active_seconds: float | None
    elapsed_seconds: float
    response: Mapping[str, Any]


def state(campaign_id: int) -> str:
    """Return a text that changes whenever the screens may find something else."""
    seen = _judgments(campaign_id).aggregate(n=Count("pk"), last=Max("pk"), sum=Sum("pk"))
    return f"{seen['n']}:{seen['last'] or 0}:{seen['sum'] or 0}"


def columns(campaign: Campaign, *, with_annotator: int | None = None) -> Columns | None:
    """Return the campaign's judgments, excluded annotators' left out; None without any.

    with_annotator: whose work is looked at even where it is excluded. Judgments that came too
    late to count are among them: they are somebody's work as well. What no crowd has confirmed is
    not: anybody may have sent it under any name.
    """
    instrument = instruments.of(campaign)
    if not instrument.template:
        return None
    found = _judgments(campaign.pk, with_annotator).order_by("pk").values_list(*_COLUMNS)
    rows = [_Row(*row) for row in found.iterator(chunk_size=5000)]
    if not rows:
        return None
    asked = _paragraphs if instrument.needs_paragraphs else _ratings
    return Columns(
        annotator=_ints(row.annotator for row in rows),
        output=_ints(row.output for row in rows),
        item=_ints(row.item for row in rows),
        order=np.array([row.id for row in rows], dtype=np.float64),
        seconds=np.array(
            [seconds(row.active_seconds, row.elapsed_seconds) for row in rows], dtype=np.float64
        ),
        **asked(instrument, rows),
    )


def seconds(active: float | None, elapsed: float) -> float:
    """The page's clock, but never more than the server's; the server's where it had none."""
    return elapsed if active is None else min(active, elapsed)


def known() -> QuerySet[Judgment]:
    """Return the judgments of people whom their crowd has confirmed: others may be anybody's."""
    return Judgment.objects.filter(assignment__status=Assignment.Status.VERIFIED)


def _judgments(campaign_id: int, with_annotator: int | None = None) -> QuerySet[Judgment]:
    out = Review.objects.filter(campaign=campaign_id, status=Review.Status.EXCLUDED)
    if with_annotator is not None:
        out = out.exclude(annotator=with_annotator)
    return known().filter(campaign=campaign_id).exclude(annotator__in=out.values("annotator"))


def _ints(values: Any) -> "np.ndarray[Any, np.dtype[np.int64]]":
    return np.fromiter(values, dtype=np.int64)


def _ratings(instrument: Instrument, rows: Sequence[_Row]) -> dict[str, Any]:
    """The criteria that share the first one's levels, and the edits."""
    asked = [criterion for criterion in instrument.criteria if criterion.levels]
    levels = tuple(sorted(float(level.value) for level in asked[0].levels))
    alike = [c.name for c in asked if tuple(sorted(float(x.value) for x in c.levels)) == levels]
    texts: dict[str, int] = {}
    edits = [row.response.get("edit") for row in rows]
    with_input = instrument.needs_input  # then it is shown beside the text
    return {
        "levels": levels,
        "words": np.array(
            [row.text_words + with_input * row.input_words for row in rows], dtype=np.float64
        ),
        "scores": {
            name: np.array([row.response[name] for row in rows], dtype=np.float64) for name in alike
        },
        "edit_distance": np.array(
            [
                np.nan if edit is None else row.response["distance"]
                for row, edit in zip(rows, edits, strict=True)
            ],
            dtype=np.float64,
        ),
        "edit_text": _ints(
            -1 if edit is None else texts.setdefault(" ".join(edit.split()), len(texts))
            for edit in edits
        ),
    }


def _paragraphs(_instrument: Instrument, rows: Sequence[_Row]) -> dict[str, Any]:
    """Plausibility, the verdict on each paragraph, and the words highlighted for it."""
    most = max((len(row.response["verdicts"]) for row in rows), default=0)
    verdicts = np.full((len(rows), most), np.nan)
    for i, row in enumerate(rows):
        given = [verdict["value"] for verdict in row.response["verdicts"]]
        verdicts[i, : len(given)] = given
    edges = _edges_of({row.item for row in rows})
    return {
        "levels": (-1.0, 0.0, 1.0),
        "words": np.array([_words_read(row, edges[row.item]) for row in rows], dtype=np.float64),
        "plausible": np.array([row.response["plausible"] for row in rows], dtype=np.float64),
        "verdicts": verdicts,
        "highlights": _highlights(rows, edges),
    }


def _words_read(row: _Row, paragraphs: _Edges) -> int:
    """Who finds the answer implausible has no paragraphs to read."""
    shown = paragraphs if row.response["plausible"] else []
    return row.text_words + row.input_words + sum(map(len, shown))


def _highlights(rows: Sequence[_Row], edges: dict[int, _Edges]) -> Highlights:
    found = [
        (i, p, _words(edges[row.item][p], verdict["spans"]), len(edges[row.item][p]))
        for i, row in enumerate(rows)
        for p, verdict in enumerate(row.response["verdicts"])
        if verdict["spans"]
    ]
    judgment, paragraph, tokens, length = zip(*found, strict=True) if found else ((), (), (), ())
    return Highlights(_ints(judgment), _ints(paragraph), list(tokens), _ints(length))


def _edges_of(items: set[int]) -> dict[int, _Edges]:
    """Where the words of each item's paragraphs begin and end."""
    texts = Item.objects.filter(pk__in=items).values_list("pk", "paragraphs")
    return {pk: [_edges(paragraph) for paragraph in own] for pk, own in texts}


def _edges(paragraph: str) -> list[tuple[int, int]]:
    return [match.span() for match in _WORD.finditer(paragraph)]


def _words(edges: list[tuple[int, int]], spans: Sequence[Sequence[int]]) -> frozenset[int]:
    """The numbers of the words that these spans touch."""
    return frozenset(
        number
        for number, (first, last) in enumerate(edges)
        if any(start < last and end > first for start, end in spans)
    )
