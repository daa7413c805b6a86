"""What lists know of the advice on each campaign's dashboard; only this module writes it."""

from django.utils import timezone

from annotate.models import NextStep


def note(campaign_id: int, *, key: str, title: str, waits: bool) -> None:
    """Note what is advised in a campaign now."""
    given = {"key": key, "title": title, "waits": waits, "at": timezone.now()}
    NextStep.objects.update_or_create(campaign_id=campaign_id, defaults=given)
