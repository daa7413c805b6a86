"""Paid units of marketplaces, how long an annotator's links live, and people of one name."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.common import tokens
from annotate.common.errors import Gone, NotFound
from annotate.common.text import Keys
from annotate.crowds.prices import ZERO
from annotate.models import (
    Annotator,
    Appeal,
    Assignment,
    Batch,
    Block,
    LedgerEntry,
    Membership,
    Participation,
    Payout,
    Posting,
    Review,
)
from annotate.models.annotators import OPEN_LINK
from annotate.pay import promise_queries, tallies
from annotate.review import eligibility
from annotate.review import queries as review_queries

Status = Participation.Status


def judged(participation_id: int) -> int:
    """Return how many tasks are done under this participation, without lapsed ones."""
    return Assignment.objects.filter(
        participation=participation_id, status__in=Assignment.JUDGED
    ).count()


def given_back(participation_id: int) -> int:
    """Return how many of its tasks were returned undone although they were available."""
    return Assignment.objects.filter(
        ~Assignment.has_work(),
        participation=participation_id,
        status=Assignment.Status.RETURNED,
    ).count()


def batch_of(posting_public_id: str) -> Batch:
    """Return what a posting offers: a number of tasks for one reward."""
    found = Posting.objects.select_related("batch").filter(public_id=posting_public_id).first()
    if found is None:
        raise NotFound(_("This study does not exist any more."))
    return found.batch


def offer(unit: Participation) -> Batch:
    """Return what the posting of a unit offers; it must be loaded."""
    assert unit.posting is not None, "a unit belongs to a posting"
    return unit.posting.batch


def topped_up(participation_id: int) -> Decimal:
    """Return the part of a unit's reward that is paid although there were no tasks for it."""
    rest = LedgerEntry.objects.filter(
        participation=participation_id, kind=LedgerEntry.Kind.REMAINDER
    )
    return (rest.aggregate(sum=Sum("amount"))["sum"] or ZERO).quantize(ZERO)


def stages(participation_id: int) -> list[tuple[str, int, Decimal]]:
    """Return (status, number of units, amount) of those that this person has started here.

    Units that were returned without any work are left out.
    """
    campaign, annotator = Participation.objects.values_list("campaign", "annotator").get(
        pk=participation_id
    )
    mine = Participation.objects.filter(campaign=campaign, annotator=annotator)
    counts: Mapping[str, int] = dict(
        mine.filter(assignments__status__in=Assignment.JUDGED)
        .order_by()
        .values_list("status")
        .annotate(n=Count("pk", distinct=True))
    )
    sums = LedgerEntry.objects.filter(participation__in=mine).order_by()
    amounts: Mapping[str, Decimal] = dict(
        sums.values_list("participation__status").annotate(sum=Sum("amount"))
    )
    return [
        (status, counts[status], amounts.get(status, ZERO).quantize(ZERO))
        for status in Status.values
        if status in counts
    ]


# The lifetime of links to an annotator's pages.


AFTERWARDS = timedelta(days=30)
UNDECIDED = (Status.ACTIVE, Status.HANDED_IN, Status.CONFIRMED)


def read_own_link(token: str) -> int:
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
    grounds = review_queries.ground(who.campaign_id, who.annotator_id)
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
    due = tallies.totals(tallies.accounts(mine)).due
    return due > 0 or promise_queries.open_of(who.campaign_id, [who.annotator_id]).exists()


# People who came by link under equivalent names (`annotate.text.names`).


def blocked(campaign_id: int, found: Keys) -> bool:
    """Return whether an owner of this campaign has blocked a person of this name."""
    owners = Membership.objects.filter(campaign=campaign_id, role=Membership.Role.OWNER)
    blocks = Block.objects.filter(owner__in=owners.values("user"), ended_at=None)
    return blocks.filter(annotator__in=_of_name(found)).exists()


def works_in(campaign_id: int, found: Keys) -> bool:
    """Return whether a person has entered this campaign by link under this name."""
    here = Participation.objects.filter(campaign=campaign_id)
    return here.filter(annotator__in=_of_name(found)).exists()


def namesakes_of(annotator_id: int, *, owner_id: int) -> set[int]:
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
