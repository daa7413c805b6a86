"""Takes and frees slots; no other code does.

A slot is free or held by one assignment, and changes only by the conditional UPDATEs here. Callers
lock the campaign before they take one, and write the reason for the change: the assignment, its end
in the audit, or an exclusion.
"""

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, F

from annotate.campaigns import progress, totals
from annotate.common import audit
from annotate.models import Assignment, Campaign, Slot


def take(slot_id: int, assignment: Assignment) -> bool:
    """Let this assignment hold the slot; False if another one holds it.

    A lease counts it in the totals itself, as the last that it does.
    """
    return bool(Slot.objects.filter(pk=slot_id, assignment=None).update(assignment=assignment))


def begin(slot_id: int, assignment: Assignment) -> bool:
    """Let this assignment hold the slot if nobody else has a task of its item.

    Somebody may have begun the item since the slot was picked.
    """
    alone = Slot.objects.exclude(Exists(progress.tasks_of_others(assignment.annotator_id)))
    return bool(alone.filter(pk=slot_id, assignment=None).update(assignment=assignment))


def _take_again(slot: Slot, assignment: Assignment) -> bool:
    """Let an assignment that is over hold a slot."""
    taken = take(slot.pk, assignment)
    if taken:
        totals.change(assignment.campaign_id, held=1)
    return taken


def take_for(assignment: Assignment) -> bool:
    """Let an assignment hold a planned slot of its output; False if none is free."""
    wanted = progress.free(assignment.campaign_id).filter(output=assignment.output_id).first()
    return wanted is not None and _take_again(wanted, assignment)


def take_or_add(assignment: Assignment) -> None:
    """Let an assignment hold any free slot of its output, or a new slot if all are held."""
    every = Slot.objects.filter(output=assignment.output_id)
    slot = every.filter(assignment=None).order_by("number").first()
    held = _take_again(slot or _added(every.order_by("-number")[0]), assignment)
    assert held, "a slot was taken while the campaign was locked"


def free(assignments: Collection[int], *, campaign_id: int) -> int:
    """Free the slots that these assignments of a campaign hold; return how many."""
    n = Slot.objects.filter(assignment__in=assignments).update(assignment=None)
    if n:
        totals.change(campaign_id, held=-n)
    return n


def drop_one_of_each(campaign_id: int) -> None:
    """Plan one judgment less of each output that has a free slot. The campaign is locked."""
    unheld = Slot.objects.filter(campaign=campaign_id, assignment=None)
    last = unheld.order_by("output", "-number").distinct("output").values("pk")
    n, _models = Slot.objects.filter(pk__in=last).delete()
    Campaign.objects.filter(pk=campaign_id).update(planned=F("planned") - n)


def _added(last: Slot) -> Slot:
    """Plan one more judgment of an output."""
    number = last.number + 1
    Campaign.objects.filter(pk=last.campaign_id).update(
        planned=F("planned") + 1, planned_twice=F("planned_twice") + int(number == 2)
    )
    return Slot.objects.create(
        campaign_id=last.campaign_id,
        output_id=last.output_id,
        position=last.position,
        number=number,
    )


# The only writer of an assignment's status (data rule 2). `slots` records who holds a slot.


Status = Assignment.Status

# Late work is submitted after its lease has ended. Judged work is lost and restored with its unit.
TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.LEASED: frozenset({Status.SUBMITTED, Status.VERIFIED, Status.RETURNED, Status.EXPIRED}),
    Status.SUBMITTED: frozenset({Status.VERIFIED, Status.RETURNED}),
    Status.VERIFIED: frozenset({Status.RETURNED}),
    Status.RETURNED: frozenset({Status.SUBMITTED, Status.VERIFIED}),
    Status.EXPIRED: frozenset({Status.SUBMITTED, Status.VERIFIED}),
}
# Other moves are recorded elsewhere: a submission by its judgment, a verification by the audit row
# of the confirmed participation.
AUDITED = (Status.RETURNED, Status.EXPIRED)


def move(
    assignments: Collection[int],
    to: Status,
    *,
    campaign_id: int,
    sources: Collection[Status],
    **fields: Any,
) -> int:
    """Move from one of `sources` to `to`, in the caller's transaction; return how many moved.

    assignments: ids from one campaign. The caller has locked them, in one of `sources`, if there
        are several. `fields` change along with the status.
    """

    def record() -> None:
        subjects = [f"assignment:{pk}" for pk in assignments]
        audit.record_each(to.value, campaign_id=campaign_id, subjects=subjects)

    mine = Assignment.objects.filter(pk__in=assignments)
    recorder = record if to in AUDITED else audit.elsewhere
    moved = audit.change(mine, TRANSITIONS, to, sources=sources, record=recorder, **fields)
    assert moved in (0, len(assignments)), "several assignments move only if they are locked"
    return moved
