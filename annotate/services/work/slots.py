"""Takes and frees slots; no other code does (decision 001).

A slot is free or held by one assignment, and changes only by the conditional UPDATEs here. Callers
lock the campaign before they take one, and write the reason for the change: the assignment, its end
in the audit, or an exclusion.
"""

from collections.abc import Collection

from annotate.models import Assignment, Slot
from annotate.selectors.campaigns import slots


def take(slot_id: int, assignment_id: int) -> bool:
    """Let this assignment hold the slot; False if another one holds it."""
    return bool(Slot.objects.filter(pk=slot_id, assignment=None).update(assignment=assignment_id))


def take_for(assignment: Assignment) -> bool:
    """Let an assignment hold a planned slot of its output; False if none is free."""
    wanted = slots.free(assignment.campaign_id).filter(output=assignment.output_id).first()
    return wanted is not None and take(wanted.pk, assignment.pk)


def take_or_add(assignment: Assignment) -> None:
    """Let an assignment hold any free slot of its output, or a new slot if all are held."""
    every = Slot.objects.filter(output=assignment.output_id)
    slot = every.filter(assignment=None).order_by("number").first()
    if slot is None:
        last = every.order_by("-number")[0]
        slot = Slot.objects.create(
            campaign_id=last.campaign_id,
            output_id=last.output_id,
            position=last.position,
            number=last.number + 1,
        )
    held = take(slot.pk, assignment.pk)
    assert held, "a slot was taken while the campaign was locked"


def free(assignments: Collection[int]) -> int:
    """Free the slots that these assignments hold; return how many."""
    return Slot.objects.filter(assignment__in=assignments).update(assignment=None)
