"""The links by which annotators come to a campaign; nothing is stored for them."""

from django.conf import settings
from django.urls import reverse

from annotate import adapters
from annotate.errors import Conflict
from annotate.models import Campaign
from annotate.tokens import invitation_token


def token(campaign: Campaign, person: str = "") -> str:
    return invitation_token(campaign.pk, person, number=campaign.links_number)


def of(campaign: Campaign, person: str = "") -> str:
    """Return the link for everybody, or for one person."""
    address = reverse("annotate:join", args=[token(campaign, person)])
    return f"{settings.PUBLIC_URL}{address}"


def ask(campaign: Campaign) -> None:
    """Raise `Conflict` where people come from a marketplace and not by links."""
    if adapters.publishes(campaign.crowd):
        label = adapters.label(campaign.crowd)
        raise Conflict(f"People of this campaign come from {label}, and not by links.")
