"""Entry by a campaign's open link, under a name that the annotator chooses."""

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from annotate.errors import Conflict, Invalid, NotAllowed, TooMany
from annotate.models import Annotator, Participation
from annotate.models.annotators import OPEN_LINK
from annotate.requests import counting
from annotate.requests.waiting import in_minutes
from annotate.selectors.work import namesakes
from annotate.services.work import participations
from annotate.text.names import LONGEST, Keys, can_be_seen, keys, tidy

WINDOW = 600  # seconds in which newcomers are counted


def enter_by_name(campaign_id: int, *, name: str, address: str = "") -> Participation:
    """Admit an annotator through a campaign's open link, under a chosen name.

    A name is taken once per campaign; the second time, also for a name that looks the same, raises
    `Conflict`. People who return use their personal link, so typing a name does not open another
    person's work.
    address: the newcomer's network, for the limit on newcomers (`TooMany`).
    Raises `NotAllowed` where an owner of the campaign has blocked this name.
    """
    participations.require_link(campaign_id)
    name = tidy(name)
    if len(name) > LONGEST or not can_be_seen(name):
        raise Invalid({"name": _("Please enter a name or code of 1 to 80 characters.")})
    _count(campaign_id, address)
    found = keys(name)
    if namesakes.blocked(campaign_id, found):
        raise NotAllowed(
            _(
                "This researcher’s studies are no longer open to this name. If it is yours, the "
                "page of your earlier work says why. If you are somebody else, choose another name."
            ),
            code="blocked",
        )
    if namesakes.works_in(campaign_id, found):
        raise _taken()
    try:
        return _enter(campaign_id, name, found)
    except IntegrityError:
        raise _taken() from None


def _enter(campaign_id: int, name: str, found: Keys) -> Participation:
    with transaction.atomic():
        annotator = Annotator.objects.create(
            crowd="link",
            environment=f"{OPEN_LINK}{campaign_id}",
            external_id=name,
            name_small=found.small,
            name_large=found.large,
            holds_name=True,
        )
        return Participation.objects.create(
            campaign_id=campaign_id, annotator=annotator, verified_at=timezone.now()
        )


def _taken() -> Conflict:
    return Conflict(
        _(
            "Somebody already works here under this name, or one that looks like it. If it is "
            "you, use your personal link (the address of your work page); otherwise choose "
            "another name."
        ),
        code="name_taken",
    )


def _count(campaign_id: int, address: str) -> None:
    """Count a newcomer. One whom the address limit refuses does not count for the campaign."""
    if address:
        network = salted_hmac("joining", address).hexdigest()[:32]
        wait = _exceeds(f"joins:{campaign_id}:{network}", settings.JOINS_PER_ADDRESS)
        message = _(
            "Many people have come to this study from your network just now. Try again in "
            "%(wait)s, or ask the researcher for a personal link."
        )
        _refuse(wait, message)
    wait = _exceeds(f"joins:{campaign_id}", settings.JOINS_PER_CAMPAIGN)
    message = _(
        "Very many people are coming to this study at the moment. Try again in %(wait)s, or ask "
        "the researcher for a personal link."
    )
    _refuse(wait, message)


def _exceeds(name: str, most: int) -> int:
    """Count one more; return for how many seconds the limit is exceeded, 0 if it is not."""
    return counting.wait(name) if counting.count(name, WINDOW) > most > 0 else 0


def _refuse(wait: int, message: str) -> None:
    if wait:
        raise TooMany(message % {"wait": in_minutes(wait)}, wait=wait)
