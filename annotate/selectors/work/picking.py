"""Which slot an annotator gets: the first free one of an output new to them, in the fixed order.

One person would otherwise get all systems of an item in a row, so items of their last tasks are
passed over while another slot is near. The order itself does not change: what one person passes
over goes to the next one.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from annotate.models import Assignment, Draft, Output, Participation, Slot
from annotate.selectors.campaigns import slots

RECENT = 10  # tasks of which a person does not get the items again
NEAR = 50  # positions within which another item is preferred


@dataclass(frozen=True)
class Picked:
    """A free slot or a gold item.

    has_draft: from an earlier lease of this person.
    begins: an item that nobody else has a task of, which `slots.begin` looks at.
    """

    slot: Slot | None
    gold_id: int | None = None
    has_draft: bool = False
    begins: bool = False


def pick(who: Participation, *, besides: int | None = None) -> Picked | None:
    """Lock and return the slot that this person gets; None if there is none for them.

    Slots that other transactions have locked are passed over. besides: an assignment whose output
    is on their page, even if its lease has expired.
    """
    free = new(who.campaign_id, who.annotator_id, besides)
    other = free.exclude(output__item__in=recent_items(who)).annotate(
        first=Subquery(free.values("position")[:1])
    )
    found = locked(other)
    if found is None or found.position > found.first + NEAR:  # type: ignore[attr-defined]
        found = locked(free)
    return None if found is None else picked(found)


def is_any(campaign_id: int, annotator_id: int) -> bool:
    """Return whether a slot is free for this person."""
    return new(campaign_id, annotator_id).exists()


def picked(slot: Slot, *, begins: bool = False) -> Picked:
    return Picked(slot, has_draft=slot.has_draft, begins=begins)  # type: ignore[attr-defined]


def locked(rows: QuerySet[Slot], *, items: bool = False) -> Slot | None:
    """Lock and return the first that nobody has locked, with its output and item.

    items: with the item's row, so that two people do not begin one item at the same moment.
    """
    of = ("self", "output__item") if items else ("self",)
    mine = rows.select_related("output__item")
    return mine.select_for_update(no_key=True, skip_locked=True, of=of).first()


def recent_items(who: Participation) -> QuerySet[Any, Any]:
    """Select the items of this person's last tasks."""
    theirs = Assignment.objects.filter(campaign=who.campaign_id, annotator=who.annotator_id)
    held = theirs.filter(status__in=Assignment.HELD, gold=None).order_by("-pk")
    return Output.objects.filter(pk__in=held.values("output")[:RECENT]).order_by().values("item")


def new(campaign_id: int, annotator_id: int, besides: int | None = None) -> QuerySet[Slot]:
    """Select the free slots of outputs that this person has not had, in the order of leasing."""
    had = Assignment.objects.filter(
        Q(annotator=annotator_id) & ~Q(status=Assignment.Status.EXPIRED) | Q(pk=besides or 0),
        output=OuterRef("output"),
    )
    drafts = Draft.objects.filter(
        assignment__annotator=annotator_id, assignment__output=OuterRef("output")
    )
    return slots.free(campaign_id).filter(~Exists(had)).annotate(has_draft=Exists(drafts))
