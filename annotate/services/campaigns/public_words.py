"""The one writer of what annotators read of a campaign in place of its name."""

from django.db import transaction

from annotate.errors import Invalid
from annotate.models import Campaign
from annotate.selectors.campaigns import public_words
from annotate.selectors.studies import instruments
from annotate.services import audit, locks

LONGEST_TITLE, LONGEST_ABOUT = 120, 600  # what the database's columns hold


def problems(title: str, about: str) -> dict[str, str]:
    """Return what is wrong with a title and a sentence, by the name of their field."""
    found = {}
    if len(title) > LONGEST_TITLE:
        found["public_title"] = f"The title has at most {LONGEST_TITLE} characters."
    if len(about) > LONGEST_ABOUT:
        found["public_about"] = f"The sentence has at most {LONGEST_ABOUT} characters."
    return found


def change(campaign_id: int, *, title: str, about: str, actor_id: int) -> bool:
    """Store another title and sentence, "" for the neutral ones; return whether one differs.

    What people read before stays in the log. Postings that a crowd shows keep their own words.
    Raises `Invalid` for texts that are too long.
    """
    if found := problems(title, about):
        raise Invalid(found)
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        before = campaign.public_title, campaign.public_about
        title = public_words.title(title, instruments.of(campaign), campaign.language)
        about = public_words.own_about(about)
        if (title, about) == before:
            return False
        Campaign.objects.filter(pk=campaign_id).update(public_title=title, public_about=about)
        audit.record(
            "retitle",
            campaign_id=campaign_id,
            actor_id=actor_id,
            status=campaign.status,
            title=title,
            about=about,
            before=before,
        )
    return True
