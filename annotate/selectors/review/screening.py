"""The screens' input: a campaign's judgments as columns, without systems or estimates."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef, QuerySet, Sum, TextField
from django.db.models.functions import Cast
from numpy.typing import NDArray

from annotate.instruments.answers import Edges, Observed
from annotate.instruments.base import Instrument
from annotate.models import Assignment, Campaign, Item, Judgment, Output, Review, Ruling
from annotate.screening.base import Columns, joined
from annotate.selectors import bulk
from annotate.selectors.studies import instruments
from estimation.metrics import word_spans

Ints = NDArray[np.int64]
Row = tuple[Any, ...]

_FACTS = ("pk", "annotator", "output", "taken", "text")
CHUNK = 5000  # judgments whose responses are in memory at once
# What `json.loads` does with a text that begins with its value, in half the time.
_JSON: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def state(campaign_id: int) -> str:
    """Return a text that changes whenever the screens may find something new."""
    seen = _known_of(campaign_id).aggregate(n=Count("pk"), last=Max("pk"), sum=Sum("pk"))
    return f"{seen['n']}:{seen['last'] or 0}:{seen['sum'] or 0}"


def columns(campaign: Campaign) -> Columns | None:
    """Return the campaign's judgments without those of excluded annotators; None without any.

    Late judgments that do not count are included, because they are a person's work too. Unconfirmed
    judgments are not, because anyone may have sent them under any name. Work that a reviewer has
    cleared has another label, the negative of the annotator's: it is a yardstick, and only newer
    work can raise new flags.
    """
    instrument = instruments.of(campaign)
    if not instrument.template:
        return None
    rows = _known_of(campaign.pk).annotate(taken=Judgment.TAKEN, text=Cast("response", TextField()))
    material = _Material(campaign.pk)
    parts = [
        _part(instrument, part, material)
        for part in bulk.parts(rows.order_by("pk"), *_FACTS, size=CHUNK)
    ]
    return _rearmed(joined(parts), _cleared(campaign.pk)) if parts else None


def _rearmed(columns: Columns, cleared: Ints) -> Columns:
    if not cleared.size:
        return columns
    before = np.isin(columns.order.astype(np.int64), cleared)
    return replace(columns, annotator=np.where(before, -columns.annotator, columns.annotator))


def seconds(active: float | None, elapsed: float) -> float:
    """Return the same as `Judgment.TAKEN`."""
    return elapsed if active is None else min(active, elapsed)


def known() -> QuerySet[Judgment]:
    """Select the judgments of people whom their crowd has confirmed."""
    return Judgment.objects.filter(assignment__status=Assignment.Status.VERIFIED)


def _known_of(campaign_id: int) -> QuerySet[Judgment]:
    out = Review.objects.filter(campaign=campaign_id, status=Review.Status.EXCLUDED)
    return known().filter(campaign=campaign_id).exclude(annotator__in=out.values("annotator"))


def _cleared(campaign_id: int) -> Ints:
    """Return the ids of judgments up to the last ruling that their annotator's work counts."""
    rulings = Ruling.objects.filter(
        review__campaign=campaign_id, act__in=(Ruling.Act.CLEAR, Ruling.Act.RESTORE)
    )
    later = rulings.filter(
        review__annotator=OuterRef("annotator"), at__gte=OuterRef("submitted_at")
    )
    people = rulings.order_by().values("review__annotator")
    mine = _known_of(campaign_id).filter(Exists(later.order_by()), annotator__in=people)
    return np.array(mine.values_list("pk", flat=True), dtype=np.int64)


class _Material:
    """The items and lengths of a campaign's outputs (N,), ids ascending, and of its items (M,)."""

    def __init__(self, campaign_id: int) -> None:
        outputs = Output.objects.filter(campaign=campaign_id).order_by("pk")
        items = Item.objects.filter(campaign=campaign_id).order_by("pk")
        kinds = {"id": "i8", "item": "i8", "words": "i4"}
        self.output, self.item, self.words = bulk.columns(outputs, **kinds)
        self._items, self._item_words = bulk.columns(items, id="i8", words="i4")

    def of(self, outputs: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the item of each output, the words of its text, and those of its input."""
        at = bulk.places(self.output, wanted=outputs)
        item = self.item[at]
        return item, self.words[at], self._item_words[bulk.places(self._items, wanted=item)]


def _part(instrument: Instrument, chunk: list[Row], material: _Material) -> Columns:
    """Return the columns of some judgments; their responses are forgotten with the chunk."""
    ids, annotators, outputs, seconds, texts = zip(*chunk, strict=True)
    output = np.array(outputs, dtype=np.int64)
    item, text_words, input_words = material.of(output)
    edges = _edges_of(set(item.tolist())) if instrument.needs_paragraphs else {}
    lengths = zip(item.tolist(), text_words.tolist(), input_words.tolist(), strict=True)
    observed = [
        Observed(_JSON(text, 0)[0], words, more, edges.get(key, []))
        for text, (key, words, more) in zip(texts, lengths, strict=True)
    ]
    return Columns(
        annotator=np.array(annotators, dtype=np.int64),
        output=output,
        item=item,
        order=np.array(ids, dtype=np.float64),
        seconds=np.array(seconds, dtype=np.float64),
        **instrument.columns(observed),
    )


def _edges_of(items: set[int]) -> dict[int, Edges]:
    """Return where the words of each item's paragraphs begin and end."""
    texts = Item.objects.filter(pk__in=items).values_list("pk", "paragraphs")
    return {pk: [word_spans(paragraph) for paragraph in own] for pk, own in texts}
