"""Calibrates the screens of campaigns that have grown, outside the refresh of estimates.

Simulating honest people takes seconds, and a few judgments more change the cut-offs little. They
are made again when judgments have grown by a quarter, twice a minute at most, or the settings have
changed.
"""

import time
from datetime import timedelta

from django.utils import timezone

from annotate.models import Calibration, Campaign
from annotate.screening.calibration import calibrated
from annotate.screening.screens import Settings
from annotate.selectors.review import screening
from annotate.services.review import reviews

LEAST = 50  # judgments before which nobody is compared
GROWTH = 1.25
SPACING = timedelta(seconds=30)  # so that a campaign of hundreds a second leaves time for others
AT_ONCE = 30.0  # seconds after which one run of the task ends


def calibrate_due() -> int:
    """Calibrate the campaigns that need it, and screen them again; return how many."""
    ends, done = time.monotonic() + AT_ONCE, 0
    for campaign in _due():
        if time.monotonic() < ends:
            done += calibrate(campaign)
    return done


def calibrate(campaign: Campaign) -> bool:
    """Keep the cut-offs of a campaign as it is now, and screen it with them."""
    columns = screening.columns(campaign)
    if columns is None:
        return False
    cutoffs = calibrated(columns, Settings.from_dict(campaign.screening))
    fields = {
        "judgments": len(columns.annotator),
        "at": timezone.now(),
        "cutoffs": cutoffs.to_dict(),
        "settings": campaign.screening,
    }
    Calibration.objects.update_or_create(campaign=campaign, defaults=fields)
    Campaign.objects.filter(pk=campaign.pk).update(screened="")
    reviews.screen(campaign.pk)
    return True


def _due() -> list[Campaign]:
    screened = Campaign.objects.exclude(screened="").order_by("pk")
    kept = {one.campaign_id: one for one in Calibration.objects.all()}
    return [one for one in screened if _grown(one, kept.get(one.pk))]


def _grown(campaign: Campaign, kept: Calibration | None) -> bool:
    judgments = int(campaign.screened.partition(":")[0])
    if kept is None:
        return judgments >= LEAST
    if campaign.screening != kept.settings:
        return True
    return judgments >= GROWTH * kept.judgments and timezone.now() >= kept.at + SPACING
