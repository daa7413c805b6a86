"""Records who has opened a campaign's results; the report on exclusions counts it."""

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from annotate.models import Campaign, ResultsSeen, Ruling


def record(campaign_id: int, user_id: int) -> None:
    """Record that this person sees the results, once between two rulings of the campaign."""
    ruled = Ruling.objects.filter(review__campaign=OuterRef("pk")).order_by("-pk")
    seen = ResultsSeen.objects.filter(campaign=OuterRef("pk"), user=user_id)
    newest, last_seen = (
        Campaign.objects.filter(pk=campaign_id)
        .values_list(
            Subquery(ruled.values("pk")[:1]),
            Subquery(seen.order_by("-after_ruling").values("after_ruling")[:1]),
        )
        .get()
    )
    after = newest or 0
    if last_seen is None or last_seen < after:
        made = ResultsSeen(
            campaign_id=campaign_id, user_id=user_id, after_ruling=after, at=timezone.now()
        )
        ResultsSeen.objects.bulk_create([made], ignore_conflicts=True)
