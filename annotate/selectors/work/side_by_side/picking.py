"""Which slot an annotator gets where the texts of an item stand side by side.

The texts of one item are rated by one person, one after the other: the remaining ones of an item
that they had among their last tasks come first, then the first item that nobody else is working
on. The former only where it is as near to the latter as in `work.picking`, so the frontier waits
for people and not for gaps.
"""

from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import MD5, Cast, Coalesce

from annotate.instruments.base import Instrument
from annotate.models import Item, Participation
from annotate.selectors.campaigns import slots
from annotate.selectors.work import picking
from annotate.selectors.work.picking import NEAR, Picked


def pick(
    instrument: Instrument, who: Participation, *, besides: int | None = None
) -> Picked | None:
    """Lock and return the slot that this person gets; `picking.pick` says more."""
    if not instrument.shows_others:
        return picking.pick(who, besides=besides)
    new = picking.new(who.campaign_id, who.annotator_id, besides)
    nobody_else = ~Q(Exists(slots.tasks_of_others(who.annotator_id)))
    recent = picking.recent_items(who)
    # The texts of an item have one position, by which the index of free slots finds them.
    alone = Subquery(new.filter(nobody_else).values("position")[:1])
    left = new.filter(output__item=OuterRef("pk"))
    mine = Item.objects.filter(Exists(left), pk__in=recent)
    begun = Subquery(mine.order_by("-position").values("position")[:1])
    ways = (
        (Q(position=Coalesce(begun, alone)), True),
        (Q(position=begun), False),  # also where another transaction has locked the item
        (nobody_else & ~Q(output__item__in=recent), True),
    )
    place = MD5(Cast(F("output") * who.annotator_id, TextField()))  # `side_by_side.place`
    ordered = new.order_by("position", place, "number")
    for condition, items in ways:
        free = ordered.filter(condition).annotate(first=alone, is_mine=_among(recent))
        found: Any = picking.locked(free, items=items)
        if found is not None and (found.first is None or found.position <= found.first + NEAR):
            return picking.picked(found, begins=items and not found.is_mine)
    found = picking.locked(ordered)
    return None if found is None else picking.picked(found)


def _among(items: QuerySet[Any, Any]) -> Exists:
    return Exists(Item.objects.filter(pk=OuterRef("output__item"), pk__in=items))
