"""Which instrument a campaign asks with."""

from annotate.instruments import registry
from annotate.instruments.base import Instrument
from annotate.models import Campaign


def of(campaign: Campaign) -> Instrument:
    """Return the instrument of a campaign, in the campaign's version."""
    return get(campaign.instrument, campaign.instrument_version)


def get(key: str, version: str = "") -> Instrument:
    """Return an instrument; KeyError names those that exist."""
    return registry.get(key)
