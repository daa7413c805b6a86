"""Which slot an annotator gets: the first free one of an output new to them, in the fixed order.

One person would otherwise get all systems of an item in a row, so items of their last tasks are
passed over while another slot is near. The order itself does not change: what one person passes
over goes to the next one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from annotate.instruments.base import Material
from annotate.models import Assignment, Draft, Output, Slot
from annotate.selectors.campaigns import outputs, slots
from annotate.selectors.prepared import Prepared
from annotate.statements import Row

RECENT = 10  # tasks of which a person does not get the items again
NEAR = 50  # positions within which another item is preferred

LOCKED = " FOR NO KEY UPDATE OF annotate_slot SKIP LOCKED"
COLUMNS = (
    "pk",
    "position",
    "output_id",
    "output__text",
    "output__item__input",
    "output__item__paragraphs",
    "has_draft",
)


@dataclass(frozen=True)
class Picked:
    """A free slot or a gold item, and what its annotator is shown of it.

    pk, output_id: of the slot; None for a gold item.
    """

    pk: int | None
    output_id: int | None
    material: Material
    has_draft: bool  # from an earlier lease of this person
    gold_id: int | None = None
    begins: bool = False  # an item that nobody else has a task of, which `slots.begin` looks at


def pick(
    campaign_id: int,
    annotator_id: int,
    *,
    recent: Sequence[int] = (),
    besides: int | None = None,
    locked: bool = False,
) -> Picked | None:
    """Return the slot that this person would get; None if there is none for them.

    recent: `recent_items`, which they do not get again where another slot is near.
    besides: an assignment whose output is on their page, even if its lease has expired.
    locked: lock it, and pass over slots that other transactions have locked.
    """
    values = {"campaign": campaign_id, "annotator": annotator_id, "besides": besides or 0}
    apart = dict(zip(ITEMS, [*recent[:RECENT], *[0] * RECENT], strict=False))
    for *row, first in _APART[locked].rows(**values, **apart) if recent else ():
        if row[1] <= first + NEAR:
            return _picked(row, annotator_id)
    return next((_picked(row, annotator_id) for row in _IN_ORDER[locked].rows(**values)), None)


def recent_items(campaign_id: int, annotator_id: int) -> "QuerySet[Output, Row]":
    """Select the items of this person's last tasks, as rows of one value."""
    theirs = Assignment.objects.filter(campaign=campaign_id, annotator=annotator_id)
    return items_of_last(theirs)


def items_of_last(theirs: QuerySet[Assignment]) -> "QuerySet[Output, Row]":
    """Select the items of the last of these tasks, as rows of one value, named `one`."""
    held = theirs.filter(status__in=Assignment.HELD, gold=None).order_by("-pk")
    last = Output.objects.filter(pk__in=held.values("output")[:RECENT])
    return last.order_by().annotate(one=F("item")).values_list("one")


def _picked(row: Sequence[Any], annotator_id: int) -> Picked:
    pk, _position, output_id, text, given, paragraphs, has_draft = row
    shown = outputs.shown(annotator_id, output_id, text, given, paragraphs)
    return Picked(pk, output_id, shown, bool(has_draft))


def new(campaign: int, annotator: int, besides: int) -> QuerySet[Slot]:
    """Select the free slots of outputs that this person has not had, in the order of leasing."""
    had = Assignment.objects.filter(
        Q(annotator=annotator) & ~Q(status=Assignment.Status.EXPIRED) | Q(pk=besides),
        output=OuterRef("output"),
    )
    drafts = Draft.objects.filter(
        assignment__annotator=annotator, assignment__output=OuterRef("output")
    )
    return slots.free(campaign).filter(~Exists(had)).annotate(has_draft=Exists(drafts))


def _in_order(campaign: int, annotator: int, besides: int) -> "QuerySet[Slot, Row]":
    return new(campaign, annotator, besides).values_list(*COLUMNS)[:1]


def _apart(campaign: int, annotator: int, besides: int, **recent: int) -> "QuerySet[Slot, Row]":
    """Select the first of another item than the recent ones, with the first position of all."""
    first = new(campaign, annotator, besides).values("position")[:1]
    other = new(campaign, annotator, besides).exclude(output__item__in=recent.values())
    return other.annotate(first=Subquery(first)).values_list(*COLUMNS, "first")[:1]


NAMES = ("campaign", "annotator", "besides")
ITEMS = tuple(f"item_{n}" for n in range(RECENT))  # 0 stands for none
_IN_ORDER = {
    False: Prepared(_in_order, numbers=NAMES),
    True: Prepared(_in_order, numbers=NAMES, locks=LOCKED),
}
_APART = {
    False: Prepared(_apart, numbers=NAMES + ITEMS),
    True: Prepared(_apart, numbers=NAMES + ITEMS, locks=LOCKED),
}
