"""The lifetime of links to an annotator's pages."""

from datetime import datetime, timedelta

from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import tokens
from annotate.errors import Gone
from annotate.models import Appeal, LedgerEntry, Participation, Payout, Review
from annotate.selectors.pay import accounts, promises
from annotate.selectors.review import appeal_rights, eligibility

AFTERWARDS = timedelta(days=30)
Status = Participation.Status
UNDECIDED = (Status.ACTIVE, Status.HANDED_IN, Status.CONFIRMED)


def read(token: str) -> int:
    """Return the participation's id; `Gone` after the end of its links, `NotFound` when forged.

    A link lives for 30 days in any case, so that a page in use asks the database nothing.
    """
    participation_id, made_at = tokens.read_participation(token)
    if timezone.now() - made_at > AFTERWARDS:
        end = ends_at(participation_id)
        if end is not None and timezone.now() > end:
            raise Gone(_("This link has expired. Ask the researcher for a new one."))
    return participation_id


def ends_at(participation_id: int) -> datetime | None:
    """Return when the links of a participation end: 30 days after all of its person's work in the
    campaign is final. None while a ruling, an appeal or pay can still come.
    """
    who = Participation.objects.select_related("campaign").filter(pk=participation_id).first()
    if who is None or who.campaign.closed_at is None:
        return None
    review = Review.objects.filter(campaign=who.campaign, annotator=who.annotator_id).first()
    grounds = appeal_rights.ground(who.campaign_id, who.annotator_id)
    waits = review is not None and review.status == Review.Status.OPEN
    if waits or any(one.waits or (one.until is None and one.is_open) for one in grounds):
        return None
    mine = Participation.objects.filter(campaign=who.campaign, annotator=who.annotator_id)
    if mine.exclude(posting=None).filter(status__in=UNDECIDED).exists() or _is_owed(mine, who):
        return None
    appeals = Appeal.objects.filter(review__in=[one.review for one in grounds] + [review])
    found: list[datetime | None] = [
        who.campaign.closed_at,
        eligibility.since(review) if review else None,
        *(one.until for one in grounds if one.is_open),
        *appeals.aggregate(last=Max("answered_at")).values(),
        *LedgerEntry.objects.filter(participation__in=mine).aggregate(last=Max("at")).values(),
        *Payout.objects.filter(participation__in=mine).aggregate(last=Max("at")).values(),
    ]
    return max(filter(None, found)) + AFTERWARDS


def of_person(campaign_id: int, person: str) -> int | None:
    """Return the participation of somebody invited by name, while its links live; else None."""
    entered = Participation.objects.filter(
        campaign=campaign_id,
        annotator__crowd="link",
        annotator__environment="live",
        annotator__external_id=person,
    )
    found = entered.values_list("pk", flat=True).first() if person else None
    end = ends_at(found) if found is not None else None
    return None if end is not None and timezone.now() > end else found


def _is_owed(mine: QuerySet[Participation], who: Participation) -> bool:
    due = accounts.totals(accounts.of_each(mine)).due
    return due > 0 or promises.open_of(who.campaign_id, [who.annotator_id]).exists()
