"""The dashboard's advice for each campaign, kept for lists; only this module writes it."""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from annotate.models import Campaign, NextStep
from annotate.states import CampaignStatus

RENEWED = timedelta(minutes=1)


def note(campaign_id: int, *, key: str, title: str, waits: bool) -> None:
    """Note what is advised in a campaign now."""
    given = {"key": key, "title": title, "waits": waits, "at": timezone.now()}
    NextStep.objects.update_or_create(campaign_id=campaign_id, defaults=given)


def due() -> Iterator[Campaign]:
    """Yield the campaigns whose note is older than a minute, the oldest note first."""
    live = Campaign.objects.filter(status__in=(CampaignStatus.OPEN, CampaignStatus.CLOSING))
    old = live.exclude(nextstep__at__gte=timezone.now() - RENEWED)
    yield from old.order_by(F("nextstep__at").asc(nulls_first=True))


def campaign(campaign_id: int) -> Campaign:
    return Campaign.objects.get(pk=campaign_id)
