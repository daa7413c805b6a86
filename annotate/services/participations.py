"""How people come in."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotate.errors import Conflict, Invalid
from annotate.models import Annotator, Campaign, Participation

LONGEST_NAME = 80


def enter(campaign_id: int, *, external_id: str, environment: str = "live") -> Participation:
    """Return the participation of this person of the campaign's crowd; made on first entry.

    Safe to repeat: the same person gets the same participation.
    """
    campaign = Campaign.objects.get(pk=campaign_id)
    annotator, _created = Annotator.objects.get_or_create(
        crowd=campaign.crowd, environment=environment, external_id=external_id
    )
    participation, _created = Participation.objects.get_or_create(
        campaign=campaign, annotator=annotator, external_key=""
    )
    return participation


def enter_by_name(campaign_id: int, *, name: str) -> Participation:
    """Let somebody in through a campaign's open link, under a name of their own.

    A name is taken once per campaign (`Conflict` the second time): who comes back uses the
    personal link, so nobody gets into somebody else's work by typing a name.
    """
    name = " ".join(name.replace("\0", " ").split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise Invalid({"name": _("Please enter a name or code of 1 to 80 characters.")})
    try:
        with transaction.atomic():
            annotator = Annotator.objects.create(
                crowd="link", environment=f"open-{campaign_id}", external_id=name.casefold()
            )
            return Participation.objects.create(campaign_id=campaign_id, annotator=annotator)
    except IntegrityError:
        raise Conflict(
            _(
                "Somebody already works here under this name. If it is you, use your personal "
                "link (the address of your work page); otherwise choose another name."
            ),
            code="name_taken",
        ) from None
