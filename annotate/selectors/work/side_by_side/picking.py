"""Which slot an annotator gets where the texts of an item stand side by side.

The texts of one item are rated by one person, one after the other: the remaining ones of an item
that they had among their last tasks come first, then the first item that nobody else is working
on. The former only where it is as near to the latter as in `work.picking`, so the frontier waits
for people and not for gaps.
"""

from collections.abc import Sequence
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import MD5, Cast, Coalesce

from annotate.instruments.base import Instrument
from annotate.models import Item, Participation, Slot
from annotate.selectors.campaigns import outputs, slots
from annotate.selectors.prepared import ListOf, Prepared
from annotate.selectors.work import picking
from annotate.selectors.work.picking import COLUMNS, ITEMS, NEAR, RECENT, Picked
from annotate.selectors.work.side_by_side import texts
from annotate.statements import Row

# With the item's row, so that two people do not begin one item at the same moment.
ITEM, FIRST = len(COLUMNS), len(COLUMNS) + 1  # places of a row
WITH_ITEM = " FOR NO KEY UPDATE OF annotate_slot, annotate_item SKIP LOCKED"


def pick(
    instrument: Instrument,
    who: Participation,
    *,
    recent: Sequence[int] = (),
    besides: int | None = None,
    locked: bool = False,
) -> Picked | None:
    """Return the slot that this person would get; `picking.pick` says more."""
    if not instrument.shows_others:
        return picking.pick(
            who.campaign_id, who.annotator_id, recent=recent, besides=besides, locked=locked
        )
    values = {"campaign": who.campaign_id, "besides": besides or 0, **texts.whose(who)}
    last = dict(zip(ITEMS, [*recent[:RECENT], *[0] * RECENT], strict=False))
    for query in (_USUAL, _GOING_ON, _NEW):
        for row in query[locked].rows(**values, **last):
            if row[FIRST] is None or row[1] <= row[FIRST] + NEAR:
                begins = query is not _GOING_ON and row[ITEM] not in recent
                return _picked(instrument, who, row, begins=begins)
    return next((_picked(instrument, who, row) for row in _ANY[locked].rows(**values)), None)


def _picked(
    instrument: Instrument, who: Participation, row: Row, *, begins: bool = False
) -> Picked:
    pk, _position, output_id, text, given, paragraphs, has_draft, *_places, item_texts = row
    material = outputs.shown(who.annotator_id, output_id, text, given, paragraphs)
    shown = texts.shown(instrument, who, output_id, material, item_texts)
    return Picked(pk, output_id, shown, bool(has_draft), begins=begins)


def _free(
    campaign: int, annotator: int, besides: int, low: int, high: int, *conditions: Q
) -> "QuerySet[Slot, Row]":
    """Select the first slot under these conditions, in the order in which this person sees texts.

    With the first position of an item that nobody else is busy with, and the texts of the item.
    """
    place = MD5(Cast(F("output") * annotator, TextField()))  # as `instruments.side_by_side.place`
    shown = texts.of_item(OuterRef("output__item"), annotator=annotator, low=low, high=high)
    return (
        picking.new(campaign, annotator, besides)
        .filter(*conditions)
        .annotate(first=_first_alone(campaign, annotator, besides), texts=ListOf(shown))
        .order_by("position", place, "number")
        .values_list(*COLUMNS, "output__item", "first", "texts")[:1]
    )


def _first_alone(campaign: int, annotator: int, besides: int) -> Subquery:
    """Return where the first item with a text for this person stands that nobody else is at."""
    new = picking.new(campaign, annotator, besides)
    alone = new.exclude(Exists(slots.tasks_of_others(annotator)))
    return Subquery(alone.values("position")[:1])


def _begun(campaign: int, annotator: int, besides: int, items: Any) -> Subquery:
    """Return where the latest of these items stands of which a text is left for this person."""
    left = picking.new(campaign, annotator, besides).filter(output__item=OuterRef("pk"))
    mine = Item.objects.filter(Exists(left), pk__in=items)
    return Subquery(mine.order_by("-position").values("position")[:1])


# The texts of an item have one position, by which the index of free slots finds them.


def _usual(
    campaign: int, annotator: int, besides: int, low: int, high: int, **last: int
) -> "QuerySet[Slot, Row]":
    """Select a text of an item that they had before, or of the first that nobody else is at."""
    begun = _begun(campaign, annotator, besides, last.values())
    is_next = Q(position=Coalesce(begun, _first_alone(campaign, annotator, besides)))
    return _free(campaign, annotator, besides, low, high, is_next)


def _going_on(
    campaign: int, annotator: int, besides: int, low: int, high: int, **last: int
) -> "QuerySet[Slot, Row]":
    """Select a text of an item that they had before, also where the item's row is locked."""
    is_begun = Q(position=_begun(campaign, annotator, besides, last.values()))
    return _free(campaign, annotator, besides, low, high, is_begun)


def _new(
    campaign: int, annotator: int, besides: int, low: int, high: int, **last: int
) -> "QuerySet[Slot, Row]":
    """Select a text of an item that they did not have before, and that nobody else is at."""
    others = ~Q(Exists(slots.tasks_of_others(annotator)))
    not_had = ~Q(output__item__in=last.values())
    return _free(campaign, annotator, besides, low, high, others, not_had)


def _any(campaign: int, annotator: int, besides: int, low: int, high: int) -> "QuerySet[Slot, Row]":
    return _free(campaign, annotator, besides, low, high)


NAMES = ("campaign", "annotator", "besides", "low", "high")
_USUAL, _GOING_ON, _NEW, _ANY = (
    {
        False: Prepared(build, numbers=names),
        True: Prepared(build, numbers=names, locks=locks),
    }
    for build, names, locks in (
        (_usual, NAMES + ITEMS, WITH_ITEM),
        (_going_on, NAMES + ITEMS, picking.LOCKED),
        (_new, NAMES + ITEMS, WITH_ITEM),
        (_any, NAMES, picking.LOCKED),
    )
)
