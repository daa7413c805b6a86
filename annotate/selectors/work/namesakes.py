"""People who came by link under equivalent names (`annotate.text.names`)."""

from django.db.models import Q, QuerySet

from annotate.models import Annotator, Block, Membership, Participation
from annotate.models.annotators import OPEN_LINK
from annotate.text.names import Keys


def blocked(campaign_id: int, found: Keys) -> bool:
    """Return whether an owner of this campaign has blocked a person of this name."""
    owners = Membership.objects.filter(campaign=campaign_id, role=Membership.Role.OWNER)
    blocks = Block.objects.filter(owner__in=owners.values("user"), ended_at=None)
    return blocks.filter(annotator__in=_of_name(found)).exists()


def works_in(campaign_id: int, found: Keys) -> bool:
    """Return whether a person has entered this campaign by link under this name."""
    here = Participation.objects.filter(campaign=campaign_id)
    return here.filter(annotator__in=_of_name(found)).exists()


def of(annotator_id: int, *, owner_id: int) -> set[int]:
    """Return the people with an annotator's name who came to an owner's campaigns by open link.

    Empty for people of marketplaces, whose account is the same everywhere.
    """
    who = Annotator.objects.get(pk=annotator_id)
    if who.crowd != "link" or not who.name_small:
        return set()
    same = _of_name(Keys(who.name_small, who.name_large)).filter(
        environment__startswith=OPEN_LINK,
        participations__campaign__memberships__in=Membership.objects.filter(
            user=owner_id, role=Membership.Role.OWNER
        ),
    )
    return set(same.exclude(pk=annotator_id).values_list("pk", flat=True))


def _of_name(found: Keys) -> QuerySet[Annotator]:
    one = Q(name_small=found.small) | Q(name_large=found.large)
    return Annotator.objects.filter(one, crowd="link")
