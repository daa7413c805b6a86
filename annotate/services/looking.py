"""That somebody has opened a campaign's results: the report on exclusions counts it."""

from django.utils import timezone

from annotate.models import ResultsSeen
from annotate.selectors import standing


def record(campaign_id: int, user_id: int) -> None:
    """Write down that this person sees results now; once between two rulings of the campaign."""
    after = standing.newest_ruling(campaign_id)
    known = ResultsSeen.objects.filter(campaign=campaign_id, user=user_id, after_ruling=after)
    if not known.exists():
        made = ResultsSeen(
            campaign_id=campaign_id, user_id=user_id, after_ruling=after, at=timezone.now()
        )
        ResultsSeen.objects.bulk_create([made], ignore_conflicts=True)
