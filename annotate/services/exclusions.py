"""Taking an annotator's judgments out of the estimates, and bringing them back.

A judgment counts exactly while its assignment holds a place. Excluding gives the places up, so
the estimates lose the judgments at once and the same places are leased again, within budget.
"""

from datetime import datetime

from django.db.models import Max

from annotate.models import Exclusion, Place, Review, Ruling
from annotate.services import evidence, leasing


def exclude(review: Review, ruling: Ruling) -> int:
    """Give up every place that the annotator holds; return how many judgments that took out.

    Open leases end too: nobody works on for an estimate that will not take it.
    """
    leasing.end_open(review.campaign_id, review.annotator_id, now=ruling.at)
    held = list(
        Place.objects.filter(
            campaign=review.campaign_id, assignment__annotator=review.annotator_id,
            assignment__judgment__isnull=False,
        ).values_list("pk", "assignment__judgment")
    )  # fmt: skip
    Exclusion.objects.bulk_create(
        Exclusion(judgment_id=judgment, place_id=place, ruling=ruling) for place, judgment in held
    )
    Place.objects.filter(pk__in=[place for place, _ in held]).update(assignment=None)
    evidence.mark(review.campaign_id, "exclusion")
    return len(held)


def restore(review: Review, *, at: datetime) -> int:
    """Bring every excluded judgment back; return how many.

    Each takes its own place again, or another free one of the same output; where all have been
    given to others meanwhile, a place is added: both judgments were asked for and paid.
    """
    out = Exclusion.objects.filter(
        judgment__campaign=review.campaign_id, judgment__annotator=review.annotator_id,
        restored_at=None,
    ).select_related("judgment")  # fmt: skip
    restored = [_bring_back(exclusion) for exclusion in out.order_by("pk")]
    Exclusion.objects.filter(pk__in=restored, restored_at=None).update(restored_at=at)
    evidence.mark(review.campaign_id, "restored")
    return len(restored)


def _bring_back(exclusion: Exclusion) -> int:
    assignment_id, output_id = exclusion.judgment.assignment_id, exclusion.judgment.output_id
    free = Place.objects.filter(output=output_id, assignment=None)
    own = free.filter(pk=exclusion.place_id).first() or free.order_by("number").first()
    if own is None:
        own = _added(exclusion)
    held = Place.objects.filter(pk=own.pk, assignment=None).update(assignment_id=assignment_id)
    assert held == 1, "a place was taken while the campaign was locked"
    return exclusion.pk


def _added(exclusion: Exclusion) -> Place:
    before = Place.objects.get(pk=exclusion.place_id)
    last = Place.objects.filter(output=before.output_id).aggregate(last=Max("number"))["last"]
    return Place.objects.create(
        campaign_id=before.campaign_id, output_id=before.output_id, position=before.position,
        number=last + 1,
    )  # fmt: skip
