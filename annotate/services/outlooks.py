"""What the list of campaigns has to know of their forecasts; only this module writes it."""

from django.utils import timezone

from annotate.models import OutOfReach


def note(campaign_id: int, *, out_of_reach: bool) -> None:
    """Note whether a campaign's targets are out of reach. Call it where its forecast is stored."""
    if out_of_reach:
        since = {"since": timezone.now()}
        OutOfReach.objects.get_or_create(campaign_id=campaign_id, defaults=since)
    else:
        OutOfReach.objects.filter(campaign=campaign_id).delete()
