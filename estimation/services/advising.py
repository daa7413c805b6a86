"""Notes what the dashboards of collecting campaigns advise, for the list and the API.

A note follows each forecast, and is renewed by time, because silence is advice too.
"""

import time
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from annotate.models import Campaign
from annotate.selectors.campaigns import slot_counts
from annotate.services import next_steps
from annotate.states import CampaignStatus
from estimation.selectors import dashboard

RENEWED = timedelta(minutes=1)
MOST_SECONDS = 20.0  # of one run; the oldest notes come first


def note(campaign_id: int) -> None:
    """Note what the campaign's dashboard advises now."""
    campaign = Campaign.objects.get(pk=campaign_id)
    found = dashboard.of_campaign(campaign).advice
    next_steps.note(campaign_id, key=found.key, title=found.title, waits=found.waits)


def renew() -> int:
    """Note it for the campaigns whose note is older than a minute; return for how many."""
    until, n = time.monotonic() + MOST_SECONDS, 0
    live = Campaign.objects.filter(status__in=(CampaignStatus.OPEN, CampaignStatus.CLOSING))
    old = live.exclude(nextstep__at__gte=timezone.now() - RENEWED)
    for campaign_id in old.order_by(F("nextstep__at").asc(nulls_first=True)).values_list(
        "pk", flat=True
    ):
        if time.monotonic() > until:
            break
        if not slot_counts.is_behind(campaign_id):
            note(campaign_id)
            n += 1
    return n
