"""Taking an annotator's judgments out of the estimates, and bringing them back.

A judgment counts exactly while its assignment holds a slot. Excluding gives the slots up, so
the estimates lose the judgments at once and the same slots are leased again, within budget.
"""

from datetime import datetime

from django.db.models import QuerySet

from annotate.models import Assignment, Exclusion, Review, Ruling, Slot
from annotate.services import change_marks
from annotate.services.work import leasing


def exclude(review: Review, ruling: Ruling) -> int:
    """Give up every slot that the annotator holds; return how many judgments that took out.

    Open leases end too, because further work would not count.
    """
    leasing.end_open(review.campaign_id, review.annotator_id, now=ruling.at)
    held = Slot.objects.filter(
        campaign=review.campaign_id,
        assignment__annotator=review.annotator_id,
        assignment__judgment__isnull=False,
    )
    out = list(held.values_list("assignment__judgment", flat=True))
    Exclusion.objects.bulk_create(Exclusion(judgment_id=one, ruling=ruling) for one in out)
    Slot.objects.filter(assignment__judgment__in=out).update(assignment=None)
    change_marks.mark(review.campaign_id, "exclusion")
    return len(out)


def restore(review: Review, *, at: datetime) -> int:
    """Bring every excluded judgment back; return how many.

    Each takes a free slot of its output again; where all have been given to others meanwhile,
    a slot is added: both judgments were asked for and paid.
    """
    out = Exclusion.objects.filter(
        judgment__campaign=review.campaign_id,
        judgment__annotator=review.annotator_id,
        restored_at=None,
    ).select_related("judgment__assignment")
    restored = [_bring_back(exclusion) for exclusion in out.order_by("pk")]
    Exclusion.objects.filter(pk__in=restored, restored_at=None).update(restored_at=at)
    change_marks.mark(review.campaign_id, "restored")
    return len(restored)


def _bring_back(exclusion: Exclusion) -> int:
    judgment = exclusion.judgment
    if judgment.assignment.status not in Assignment.HELD:
        return exclusion.pk  # its paid unit was given back since: it comes back with that, or not
    slots = Slot.objects.filter(output=judgment.output_id)
    slot = slots.filter(assignment=None).order_by("number").first() or _added(slots)
    held = Slot.objects.filter(pk=slot.pk, assignment=None).update(
        assignment=judgment.assignment_id
    )
    assert held == 1, "a slot was taken while the campaign was locked"
    return exclusion.pk


def _added(slots: QuerySet[Slot]) -> Slot:
    last = slots.order_by("-number")[0]
    return Slot.objects.create(
        campaign_id=last.campaign_id,
        output_id=last.output_id,
        position=last.position,
        number=last.number + 1,
    )
