"""The screens' input: a campaign's judgments as columns, without systems or estimates."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef, QuerySet, Sum, TextField
from django.db.models.functions import Cast
from numpy.typing import NDArray

from annotate.instruments.answers import Edges, Observed
from annotate.instruments.base import Instrument
from annotate.models import Assignment, Campaign, Item, Judgment, Output, Review, Ruling
from annotate.screening.base import Columns, joined, taken
from annotate.selectors import bulk
from annotate.selectors.review import columns_read
from annotate.selectors.studies import instruments
from estimation.metrics import word_spans

Ints = NDArray[np.int64]
Row = tuple[Any, ...]

_FACTS = ("pk", "annotator", "output", "taken", "text")
CHUNK = 5000  # judgments whose responses are in memory at once
FEW = 500  # judgments that are asked for by name, and not with all between the first and the last
MOST_NEW = 2000  # judgments of a look at new work
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
    rows = _known_of(campaign.pk).order_by()
    facts = np.stack(bulk.columns(rows, id="i8", annotator="i8", output="i8"))
    facts = facts[:, np.argsort(facts[0])]
    version = (instrument.key, instrument.version)
    found = _found(campaign.pk, instrument, facts, columns_read.of(campaign.pk, version))
    if found is None:
        return None
    columns_read.keep(campaign.pk, columns_read.Read(version, found))
    # A copy, because columns remember what was computed from them.
    return _rearmed(replace(found), _cleared(campaign.pk))


def new_columns(campaign: Campaign, *, after: int) -> Columns | None:
    """Return the screened judgments with a higher id than `after`; None without any.

    It is for a look at new work alone: a judgment that is confirmed late, or whose transaction ends
    late, comes with the next look at everybody.
    """
    instrument = instruments.of(campaign)
    rows = _known_of(campaign.pk).filter(pk__gt=after).order_by("pk")
    new = np.array(rows.values_list("pk", flat=True)[:MOST_NEW], dtype=np.int64)
    return joined(_read(instrument, campaign.pk, new)) if new.size and instrument.template else None


def _read(instrument: Instrument, campaign_id: int, ids: Ints) -> list[Columns]:
    """Return the columns of these judgments (ascending) in parts."""
    chunks: Iterable[list[Row]] = _responses(campaign_id, ids)
    few = None
    if ids.size <= FEW:
        chunks = list(chunks)
        few = {output for chunk in chunks for _pk, _annotator, output, *_ in chunk}
    material = _Material(campaign_id, few)
    return [_part(instrument, chunk, material) for chunk in chunks]


def _found(
    campaign_id: int, instrument: Instrument, facts: Ints, before: columns_read.Read | None
) -> Columns | None:
    """Return the columns of (3, T) ids, annotators and outputs; only what is new is read."""
    place = np.full(facts.shape[1], -1) if before is None else before.places(*facts)
    known = place[place >= 0]
    parts = [taken(before.columns, known)] if before is not None and known.size else []
    new = facts[0, place < 0]
    if new.size:
        parts += _read(instrument, campaign_id, new)
    found = joined(parts) if parts else None
    if found is not None and known.size and (np.diff(found.order) < 0).any():
        found = taken(found, np.argsort(found.order))
    return found


def _responses(campaign_id: int, ids: Ints) -> Iterator[list[Row]]:
    """Yield the facts of these judgments (ascending), some thousands at a time."""
    rows = Judgment.objects.filter(campaign=campaign_id, pk__gte=ids[0], pk__lte=ids[-1])
    if ids.size <= FEW:
        rows = rows.filter(pk__in=ids.tolist())
    facts = rows.annotate(taken=Judgment.TAKEN, text=Cast("response", TextField())).order_by("pk")
    wanted = set(ids.tolist())
    for part in bulk.parts(facts, *_FACTS, size=CHUNK):
        if chosen := [row for row in part if row[0] in wanted]:
            yield chosen


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
    """The items and lengths of a campaign's outputs (N,), ids ascending, and of its items (M,).

    few: the ids of the outputs, where it is not about all.
    """

    def __init__(self, campaign_id: int, few: Collection[int] | None = None) -> None:
        outputs = Output.objects.filter(campaign=campaign_id).order_by("pk")
        items = Item.objects.filter(campaign=campaign_id).order_by("pk")
        if few is not None:
            outputs = outputs.filter(pk__in=few)
            items = items.filter(pk__in=outputs.order_by().values("item"))
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
