"""The key with which a campaign's networks and devices are hashed, while it collects."""

from annotate.models import Campaign, SignalKey
from annotate.screening.signals import signals_on

OVER = (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED)


def of(campaign: Campaign) -> bytes | None:
    """Return the key; None where signals are off, and after closing. No query if they are off."""
    if not signals_on(campaign.screening) or campaign.status in OVER:
        return None
    key = SignalKey.objects.filter(campaign=campaign).values_list("key", flat=True).first()
    return None if key is None else bytes(key)
