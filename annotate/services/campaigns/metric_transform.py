"""The switch of a running campaign's protocol to metrics that enter its estimates bounded."""

from django.db import transaction

from annotate.errors import Conflict
from annotate.models import Campaign
from annotate.selectors.campaigns.opening import bounded_transform
from annotate.selectors.campaigns.protocol import METRICS_BOUNDED
from annotate.selectors.studies import instruments
from annotate.services import change_marks, locks, reasons
from annotate.states import CampaignStatus

RUNNING = (CampaignStatus.OPEN, CampaignStatus.PAUSED, CampaignStatus.CLOSING)


def bound(campaign_id: int, *, actor_id: int, why: str) -> bool:
    """Let a campaign that opened with raw metrics use them bounded; False if it does already.

    The rule looks at no judgment. Estimates are made again; the log and the export keep the
    protocol as it was. Raises `Invalid` without a reason, and `Conflict` for a campaign that does
    not run or has no metrics.
    """
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status not in RUNNING:
            raise Conflict(
                "How metrics enter can be changed while a campaign is open, paused or closing. One "
                "that is closed can be reopened."
            )
        if not campaign.metrics:
            raise Conflict("The campaign has no metrics.")
        assert campaign.protocol is not None  # it has opened
        now, was = bounded_transform(instruments.of(campaign)), stored(campaign)
        if was == now:
            return False
        why = reasons.checked(why, status=campaign.status)
        protocol = {**campaign.protocol, "metric_transform": now}
        Campaign.objects.filter(pk=campaign_id).update(protocol=protocol)
        change_marks.mark(campaign_id, "metrics")
        changes = {"metric_transform": (was, now)}
        reasons.record(METRICS_BOUNDED, campaign, why, changes, actor_id=actor_id)
    return True


def stored(campaign: Campaign) -> str | None:
    """Return what the campaign's protocol says; None in protocols of before the rule."""
    found: str | None = (campaign.protocol or {}).get("metric_transform")
    return found
