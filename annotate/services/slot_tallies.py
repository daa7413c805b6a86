"""Counts held slots beforehand, up to an assignment: the only writer of `SlotTally`.

Readers add the slots of newer assignments, so a tally that is behind costs time and is never wrong.
The reasons are in `docs/decisions/042-what-is-open-is-counted.md`.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.models import Count, Exists, F, Min, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from annotate.models import Assignment, Campaign, Slot, SlotTally, TallyProgress
from annotate.services import locks

STEP = 100_000  # slots in one transaction


def advance() -> int:
    """Count what is settled in every campaign; return how many slots. Safe to repeat."""
    settled = TallyProgress.objects.values_list("assignment", flat=True).first() or 0
    return sum(_advance(campaign_id, settled) for campaign_id in _behind(settled))


@contextmanager
def kept(campaign_id: int, assignments: Collection[int]) -> Iterator[None]:
    """Keep the tally right while the block changes the slots of these assignments.

    The caller has locked the campaign, or the assignments were leased and so are not in the tally.
    """
    mine = SlotTally.objects.filter(campaign=campaign_id, upto__gte=min(assignments, default=0))
    upto = mine.values_list("upto", flat=True).first() if assignments else None
    if upto is None:
        yield
        return
    mine_now = Assignment.objects.filter(pk__in=assignments, gold=None)
    outputs = list(mine_now.values_list("output", flat=True).distinct())
    rows = Slot.objects.filter(output__in=outputs, assignment__lte=upto)
    before = _counts(rows)
    yield
    n_held, n_outputs = (now - was for was, now in zip(before, _counts(rows), strict=True))
    mine.update(held=F("held") + n_held, outputs=F("outputs") + n_outputs)


def rebuild(campaign_id: int) -> None:
    """Make a campaign's tally again from all its slots, in the next call of `advance`."""
    SlotTally.objects.filter(campaign=campaign_id).delete()


def _behind(settled: int) -> list[int]:
    """Return the campaigns with held slots that their tallies do not include."""
    tally = SlotTally.objects.filter(campaign=OuterRef(OuterRef("pk")))
    upto = Coalesce(Subquery(tally.values("upto")), Value(0))
    newer = Slot.objects.filter(
        campaign=OuterRef("pk"), assignment__gt=upto, assignment__lte=settled
    )
    return list(Campaign.objects.filter(Exists(newer)).order_by("pk").values_list("pk", flat=True))


def _advance(campaign_id: int, settled: int) -> int:
    n = 0
    while found := _step(campaign_id, settled):
        n += found
    return n


@transaction.atomic
def _step(campaign_id: int, settled: int) -> int:
    """Add at most `STEP` slots; return how many. Their assignments are over and stay so.

    Leases go on meanwhile: what they hold is newer than `settled`. Everything else that takes or
    frees a slot locks the campaign.
    """
    locks.campaign_with_allowance(campaign_id)
    tally, _made = SlotTally.objects.get_or_create(campaign_id=campaign_id)
    newer = Slot.objects.filter(campaign=campaign_id, assignment__gt=tally.upto).order_by()
    upto = _end(newer, min(settled, _oldest_lease(campaign_id) - 1))
    newer = newer.filter(assignment__lte=upto)
    known = Slot.objects.filter(output=OuterRef("output"), assignment__lte=tally.upto)
    n_held = newer.count()
    if not n_held:
        return 0
    tally.outputs += newer.filter(~Exists(known)).aggregate(n=Count("output", distinct=True))["n"]
    tally.held += n_held
    tally.upto = upto
    tally.save()
    return n_held


def _oldest_lease(campaign_id: int) -> int:
    """Return the lowest id of an assignment that is leased; a high one if there is none."""
    leased = Assignment.objects.filter(campaign=campaign_id, status=Assignment.Status.LEASED)
    return leased.aggregate(first=Min("pk"))["first"] or 2**62


def _end(newer: QuerySet[Slot], upto: int) -> int:
    """Return the last assignment of this step."""
    rows = newer.filter(assignment__lte=upto).order_by("assignment")
    last = rows.values_list("assignment", flat=True)[STEP - 1 : STEP].first()
    return upto if last is None else last


def _counts(slots: QuerySet[Slot]) -> tuple[int, int]:
    found = slots.aggregate(n=Count("pk"), outputs=Count("output", distinct=True))
    return found["n"], found["outputs"]


def recount(campaign_id: int) -> tuple[int, int]:
    """Return by how much the tally differs from its slots: held ones, and outputs.

    The caller holds the campaign's lock.
    """
    tally = SlotTally.objects.filter(campaign=campaign_id).first()
    if tally is None:
        return 0, 0
    held, outputs = _counts(Slot.objects.filter(campaign=campaign_id, assignment__lte=tally.upto))
    return tally.held - held, tally.outputs - outputs
