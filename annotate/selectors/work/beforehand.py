"""The steps before a person's next task: consent, then background questions."""

from typing import Literal

from annotate.models import Campaign, Participation
from annotate.selectors.studies import texts

Owed = Literal["", "consent", "background"]


def owed(campaign: Campaign, who: Participation) -> Owed:
    """Return what comes before this person's next task; "" once nothing does."""
    told = texts.of(campaign)
    if told.consent and not has_consented(who, texts.consent_version(campaign)):
        return "consent"
    if told.background and who.background_at is None:
        return "background"
    return ""


def has_consented(who: Participation, version: int) -> bool:
    """Return whether this person has accepted this version of the consent text."""
    return who.consented_at is not None and who.consented_to == version
