"""The screens' input: a campaign's judgments as columns, without systems or estimates."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Max, QuerySet, Sum

from annotate.instruments.answers import Edges, Observed
from annotate.models import Assignment, Campaign, Item, Judgment, Review
from annotate.screening.base import Columns
from annotate.selectors.studies import instruments

_WORD = re.compile(r"\S+")
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
    """One judgment, with the fields that a screen may know."""

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
    """Return a text that changes whenever the screens may find something new."""
    seen = _judgments(campaign_id).aggregate(n=Count("pk"), last=Max("pk"), sum=Sum("pk"))
    return f"{seen['n']}:{seen['last'] or 0}:{seen['sum'] or 0}"


def columns(campaign: Campaign) -> Columns | None:
    """Return the campaign's judgments without those of excluded annotators; None without any.

    Late judgments that do not count are included, because they are a person's work too. Unconfirmed
    judgments are not, because anyone may have sent them under any name.
    """
    instrument = instruments.of(campaign)
    if not instrument.template:
        return None
    found = _judgments(campaign.pk).order_by("pk").values_list(*_COLUMNS)
    rows = [_Row(*row) for row in found.iterator(chunk_size=5000)]
    if not rows:
        return None
    observed = _observed(rows, paragraphs=instrument.needs_paragraphs)
    return Columns(
        annotator=_ints(row.annotator for row in rows),
        output=_ints(row.output for row in rows),
        item=_ints(row.item for row in rows),
        order=np.array([row.id for row in rows], dtype=np.float64),
        seconds=np.array(
            [seconds(row.active_seconds, row.elapsed_seconds) for row in rows], dtype=np.float64
        ),
        **instrument.columns(observed),
    )


def seconds(active: float | None, elapsed: float) -> float:
    """Return the page's clock, limited by the server's; the server's if the page had none."""
    return elapsed if active is None else min(active, elapsed)


def known() -> QuerySet[Judgment]:
    """Select the judgments of people whom their crowd has confirmed."""
    return Judgment.objects.filter(assignment__status=Assignment.Status.VERIFIED)


def _judgments(campaign_id: int) -> QuerySet[Judgment]:
    out = Review.objects.filter(campaign=campaign_id, status=Review.Status.EXCLUDED)
    return known().filter(campaign=campaign_id).exclude(annotator__in=out.values("annotator"))


def _ints(values: Any) -> "np.ndarray[Any, np.dtype[np.int64]]":
    return np.fromiter(values, dtype=np.int64)


def _observed(rows: Sequence[_Row], *, paragraphs: bool) -> list[Observed]:
    """Return the rows with their paragraphs, if the instrument shows any."""
    edges = _edges_of({row.item for row in rows}) if paragraphs else {}
    return [
        Observed(row.response, row.text_words, row.input_words, edges.get(row.item, []))
        for row in rows
    ]


def _edges_of(items: set[int]) -> dict[int, Edges]:
    """Return where the words of each item's paragraphs begin and end."""
    texts = Item.objects.filter(pk__in=items).values_list("pk", "paragraphs")
    return {
        pk: [[match.span() for match in _WORD.finditer(paragraph)] for paragraph in own]
        for pk, own in texts
    }
