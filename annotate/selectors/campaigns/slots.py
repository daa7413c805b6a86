"""Which slots are wanted, free or held, and who may still take them."""

from collections.abc import Mapping

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Value
from django.db.models.lookups import GreaterThan

from annotate.models import Assignment, Authorship, Item, Slot


def wanted(campaign_id: int) -> QuerySet[Slot]:
    """Select the slots that some system still needs: it has no stop position, or a later one."""
    author = Authorship.objects.filter(output=OuterRef("output")).filter(
        Q(system__stop_position=None) | Q(system__stop_position__gt=OuterRef("position"))
    )
    return Slot.objects.filter(Exists(author), campaign=campaign_id)


def wanted_of(campaign_id: int, stops: Mapping[int, int | None]) -> QuerySet[Slot]:
    """Select the same slots, for counting many of them: a third of the database's time.

    stops: where each system stops. Told in the statement, they need no join with the systems.
    """
    needed = Q(system__in=[system_id for system_id, stop in stops.items() if stop is None])
    for system_id, stop in stops.items():
        if stop is not None:
            needed |= Q(GreaterThan(Value(stop), OuterRef("position")), system=system_id)
    author = Authorship.objects.filter(needed, output=OuterRef("output"))
    return Slot.objects.filter(Exists(author), campaign=campaign_id)


def free(campaign_id: int) -> QuerySet[Slot]:
    """Select the wanted slots that are free, in the order of leasing."""
    return wanted(campaign_id).filter(assignment=None).order_by("position", "output_id", "number")


def tasks_of_others(annotator_id: int) -> QuerySet[Assignment]:
    """Select the tasks that other people have now, of the item of an outer query's slot."""
    leased = Assignment.objects.filter(status=Assignment.Status.LEASED)
    return leased.filter(output__item=OuterRef("output__item")).exclude(annotator=annotator_id)


def frontier(system_id: int) -> int:
    """Return the first position that no lease or judgment of this system has reached.

    Where items come in groups, the first one after the last group that is begun.
    """
    last = Slot.objects.filter(
        output__authorships__system=system_id, assignment__isnull=False
    ).aggregate(last=Max("position"))["last"]
    if last is None:
        return 0
    # A group that is begun is finished: its items are drawn together.
    item = Item.objects.filter(campaign__systems=system_id)
    begins = item.filter(position=last).values_list("group_start", flat=True).first()
    if begins is None:
        return int(last) + 1
    return int(item.filter(group_start=begins).aggregate(end=Max("position"))["end"]) + 1


def open_leases(campaign_id: int) -> int:
    """Return how many leases are running, including judgments that their crowd may confirm.

    Those of gold items bring no judgment, so nothing waits for them.
    """
    unsure = Q(status=Assignment.Status.SUBMITTED, slot__isnull=False)
    return Assignment.objects.filter(
        Q(status=Assignment.Status.LEASED) | unsure, campaign=campaign_id, gold=None
    ).count()


def unfinished_items(system_id: int) -> int:
    """Return how many items before the system's stop position lack a counting judgment."""
    return (
        Slot.objects.filter(output__authorships__system=system_id)
        .filter(position__lt=F("output__authorships__system__stop_position"))
        .filter(Q(assignment=None) | ~Q(assignment__status=Assignment.Status.VERIFIED))
        .values("output")
        .distinct()
        .count()
    )
