"""Runs the screens over a campaign and flags the annotators on whom they fire."""

from itertools import groupby

from django.db import transaction

from annotate.models import Campaign
from annotate.screening.base import Verdict
from annotate.screening.running import screen_all
from annotate.screening.settings import Settings
from annotate.selectors.review import screening
from annotate.services.review import reviews


def screen(campaign_id: int) -> int:
    """Screen every annotator of a campaign; return how many are newly flagged.

    Never twice for the same judgments. Runs before estimates are made, so no campaign becomes
    final on work that has not been looked at.
    """
    campaign = Campaign.objects.get(pk=campaign_id)
    state = screening.state(campaign_id)
    if campaign.screened == state or (columns := screening.columns(campaign)) is None:
        return 0
    settings = Settings.from_dict(campaign.screening)
    fired = [verdict for verdict in screen_all(columns, settings) if verdict.flagged]
    with transaction.atomic():
        moved = Campaign.objects.filter(pk=campaign_id, screened=campaign.screened).update(
            screened=state
        )
        return _flag(campaign_id, fired) if moved else 0


def _flag(campaign_id: int, fired: list[Verdict]) -> int:
    by_person = groupby(sorted(fired, key=lambda v: v.annotator), lambda v: v.annotator)
    return sum(bool(reviews.flag(campaign_id, who, list(found))) for who, found in by_person)
