"""Items by their places, and who wrote what for one of them, as plain rows."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models.functions import Left

from annotate.errors import NotFound
from annotate.models import Authorship, Item, Output

BEGINNING = 160  # characters of the input
LARGEST = 2**31 - 1  # of a position


@dataclass(frozen=True)
class ItemName:
    """An item: its number in the order of collecting, from 1, its name and how its input begins."""

    number: int
    key: str
    beginning: str


@dataclass(frozen=True)
class ItemText:
    """One text of an item, with the systems that wrote it and the metrics of the upload."""

    output_id: int
    systems: tuple[str, ...]
    given: Mapping[str, float]


def item_names(campaign_id: int, places: Collection[int]) -> dict[int, ItemName]:
    """Return the items at these places (from 0); one query."""
    rows = Item.objects.filter(campaign=campaign_id, position__in=set(places))
    begun = rows.annotate(beginning=Left("input", BEGINNING))
    return {
        place: ItemName(place + 1, key, beginning)
        for place, key, beginning in begun.values_list("position", "key", "beginning")
    }


def item_texts(campaign_id: int, number: int) -> list[ItemText]:
    """Return the texts of the item with this number; `NotFound` where there is none."""
    place = number - 1
    found = Item.objects.filter(campaign=campaign_id, position=place) if place <= LARGEST else None
    pk = found.values_list("pk", flat=True).first() if found is not None and place >= 0 else None
    if pk is None:
        raise NotFound("There is no item of this number in the campaign.")
    wrote: dict[int, tuple[str, ...]] = {}
    rows = Authorship.objects.filter(item=pk).order_by("system")
    for output, name in rows.values_list("output", "system__name"):
        wrote[output] = (*wrote.get(output, ()), name)
    given = dict(Output.objects.filter(item=pk).values_list("pk", "given_metrics"))
    return [ItemText(output, names, given[output]) for output, names in wrote.items()]
