"""Which planned judgments are wanted, free, or held."""

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet

from annotate.models import Assignment, Authorship, Slot


def wanted(campaign_id: int) -> QuerySet[Slot]:
    """Slots that some system still needs: before its stop position, or it has none."""
    author = Authorship.objects.filter(output=OuterRef("output")).filter(
        Q(system__stop_position=None) | Q(system__stop_position__gt=OuterRef("position"))
    )
    return Slot.objects.filter(Exists(author), campaign=campaign_id)


def free(campaign_id: int) -> QuerySet[Slot]:
    """Wanted slots that are free, in the order in which they are leased."""
    return wanted(campaign_id).filter(assignment=None).order_by("position", "output_id", "number")


def frontier(system_id: int) -> int:
    """Return the first position that no lease or judgment of this system has reached."""
    last = Slot.objects.filter(
        output__authorships__system=system_id, assignment__isnull=False
    ).aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def held_count(campaign_id: int) -> int:
    """Return how many slots are leased or judged."""
    return Slot.objects.filter(campaign=campaign_id, assignment__isnull=False).count()


def open_leases(campaign_id: int) -> int:
    """Return how many leases are running: judgments too that their crowd may yet confirm."""
    unsure = Q(status=Assignment.Status.SUBMITTED, slot__isnull=False)
    return Assignment.objects.filter(
        Q(status=Assignment.Status.LEASED) | unsure, campaign=campaign_id
    ).count()


def unfinished_items(system_id: int) -> int:
    """Return how many items before the system's stop position lack a judgment that counts."""
    return (
        Slot.objects.filter(output__authorships__system=system_id)
        .filter(position__lt=F("output__authorships__system__stop_position"))
        .filter(Q(assignment=None) | ~Q(assignment__status=Assignment.Status.VERIFIED))
        .values("output")
        .distinct()
        .count()
    )
