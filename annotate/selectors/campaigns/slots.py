"""Which slots are wanted, free or held, and who may still take them."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet

from annotate.models import Assignment, Authorship, Block, Membership, Participation, Review, Slot


def wanted(campaign_id: int) -> QuerySet[Slot]:
    """Select the slots that some system still needs: it has no stop position, or a later one."""
    author = Authorship.objects.filter(output=OuterRef("output")).filter(
        Q(system__stop_position=None) | Q(system__stop_position__gt=OuterRef("position"))
    )
    return Slot.objects.filter(Exists(author), campaign=campaign_id)


def free(campaign_id: int) -> QuerySet[Slot]:
    """Select the wanted slots that are free, in the order of leasing."""
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
    """Return how many leases are running, including judgments that their crowd may confirm."""
    unsure = Q(status=Assignment.Status.SUBMITTED, slot__isnull=False)
    return Assignment.objects.filter(
        Q(status=Assignment.Status.LEASED) | unsure, campaign=campaign_id
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


MANY = 20  # above this number of people, `_for_nobody` is not checked


@dataclass(frozen=True)
class Availability:
    """Who could fill the free slots.

    free: slots that can be leased.
    for_nobody: those of them that none of the `able` people can lease.
    came: annotators who entered. Each of them is counted once: under_review (waits for a ruling),
        left_out (excluded, or blocked by an owner), at_cap (of the others, those at the cap of
        tasks per person), or able.
    """

    came: int = 0
    under_review: int = 0
    left_out: int = 0
    at_cap: int = 0
    free: int = 0
    for_nobody: int = 0

    @property
    def barred(self) -> int:
        return self.under_review + self.left_out

    @property
    def able(self) -> int:
        return self.came - self.barred - self.at_cap

    @property
    def takeable(self) -> int:
        """Return the free slots that an annotator who entered may take."""
        return self.free - self.for_nobody


def availability(campaign_id: int, *, cap: int | None, free: int) -> Availability:
    """Return who could fill the missing slots; at most six queries. free: how many are free."""
    came = set(
        Participation.objects.filter(campaign=campaign_id).values_list("annotator", flat=True)
    )
    reviews = dict(Review.objects.filter(campaign=campaign_id).values_list("annotator", "status"))
    excluded = {who for who, status in reviews.items() if status == Review.Status.EXCLUDED}
    waiting = {who for who, status in reviews.items() if status == Review.Status.OPEN}
    left_out = came & (excluded | _blocked(campaign_id))
    reviewed = came & waiting - left_out
    full = came & _at_cap(campaign_id, cap) - left_out - reviewed
    able = came - left_out - reviewed - full
    return Availability(
        came=len(came),
        under_review=len(reviewed),
        left_out=len(left_out),
        at_cap=len(full),
        free=free,
        for_nobody=_for_nobody(campaign_id, able) if able else free,
    )


def _blocked(campaign_id: int) -> set[int]:
    owners = Membership.objects.filter(campaign=campaign_id, role=Membership.Role.OWNER)
    rows = Block.objects.filter(owner__in=owners.values("user"), ended_at=None)
    return set(rows.values_list("annotator", flat=True))


def _at_cap(campaign_id: int, cap: int | None) -> set[int]:
    if cap is None:
        return set()
    rows = Assignment.objects.filter(campaign=campaign_id).order_by().values("annotator")
    held = rows.annotate(n=Count("pk", filter=Q(status__in=Assignment.HELD)))
    return set(held.filter(n__gte=cap).values_list("annotator", flat=True))


def _for_nobody(campaign_id: int, able: Collection[int]) -> int:
    """Count the free slots of outputs that all of these people have had already.

    No annotator gets an output twice. For many people it is not checked, because nearly all would
    have had to return the same outputs.
    """
    if len(able) > MANY:
        return 0
    had = Assignment.objects.filter(campaign=campaign_id).exclude(status=Assignment.Status.EXPIRED)
    begun = free(campaign_id).filter(Exists(had.filter(output=OuterRef("output"))))
    n_free = Counter(begun.values_list("output", flat=True))
    pairs = set(
        had.filter(output__in=begun.order_by().values("output")).values_list("output", "annotator")
    )
    seen = Counter(output for output, who in pairs if who in able)
    return sum(n for output, n in n_free.items() if seen[output] >= len(able))
