"""Where a person stands in a campaign after a judgment: what decides about the next task."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, Exists, Min, Q, QuerySet, Subquery
from django.db.models.functions import JSONArray
from django.utils import timezone

from annotate.crowds.tariffs import ZERO
from annotate.models import Assignment, LedgerEntry, Participation
from annotate.selectors.pay import promises
from annotate.selectors.pay.accounts import sum_of
from annotate.selectors.prepared import ListOf, Prepared
from annotate.selectors.review import eligibility
from annotate.selectors.work import picking
from annotate.statements import Row

LEASED = Assignment.Status.LEASED
IS_HELD = Q(status__in=Assignment.HELD, gold=None)


@dataclass(frozen=True)
class PersonStanding:
    """Counts of one participation, and of its annotator in the campaign.

    held: tasks that count toward the campaign's cap.
    had_gold: gold items that the annotator ever got.
    n_open, waiting: the open tasks of the participation, and the one that is next; None without.
    judged: tasks done under the participation.
    judged_today, earned_today: as its annotator is shown them (`task_page.Visit`).
    barred: whether a review, an exclusion or a block keeps the annotator out.
    owed: whether a bonus is promised that is not due yet.
    recent: the items of the annotator's last tasks (`picking.recent_items`).
    is_due: whether leases in the campaign are over that nobody has ended yet.
    """

    held: int
    had_gold: int
    n_open: int
    waiting: int | None
    judged: int
    judged_today: int
    earned_today: Decimal
    barred: bool
    owed: bool
    is_due: bool
    recent: list[int]


def of(who: Participation, *, now: datetime) -> PersonStanding:
    """Return where this person stands, who is locked; one query."""
    values = {"campaign": who.campaign_id, "annotator": who.annotator_id, "me": who.pk}
    today = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    how = _ALONE if who.is_alone else _SURE if who.is_sure else _UNSURE
    ((in_all, here, earned, recent, *holds),) = how.rows(**values, today=today, now=now)
    reviewed, blocked, owed, is_due, others = map(bool, holds)
    if who.is_alone and others:  # they came in another tab just now
        who.is_alone = False
        return of(who, now=now)
    held, had_gold, today_in_all = in_all or (0, 0, 0)
    n_open, waiting, judged, today_here = here or (0, None, 0, 0)
    return PersonStanding(
        held,
        had_gold,
        n_open,
        waiting,
        judged,
        today_in_all if who.is_sure else today_here,
        earned.quantize(ZERO),
        barred=reviewed or blocked,
        owed=owed,
        is_due=is_due,
        recent=recent,
    )


def _alone(
    campaign: int, annotator: int, me: int, today: datetime, now: datetime
) -> "QuerySet[Participation, Row]":
    """Ask about somebody who has one participation in the campaign."""
    mine, earned = Assignment.objects.filter(participation=me), _earned(me, today)
    return _query(campaign, annotator, me, (today, now), mine, earned)


def _sure(
    campaign: int, annotator: int, me: int, today: datetime, now: datetime
) -> "QuerySet[Participation, Row]":
    """Ask about a confirmed person, whose figures of today are those of all participations."""
    earned = LedgerEntry.objects.filter(
        campaign=campaign, participation__annotator=annotator, at__gte=today
    )
    theirs = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    return _query(campaign, annotator, me, (today, now), theirs, earned)


def _unsure(
    campaign: int, annotator: int, me: int, today: datetime, now: datetime
) -> "QuerySet[Participation, Row]":
    """Ask about anybody else, who is shown figures of this participation alone."""
    theirs = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    return _query(campaign, annotator, me, (today, now), theirs, _earned(me, today))


def _earned(me: int, today: datetime) -> QuerySet[LedgerEntry]:
    return LedgerEntry.objects.filter(participation=me, at__gte=today)


def _query(
    campaign: int,
    annotator: int,
    me: int,
    times: tuple[datetime, datetime],
    theirs: QuerySet[Assignment],
    earned: QuerySet[LedgerEntry],
) -> "QuerySet[Participation, Row]":
    """Ask for two lists of counts, one of each participation that counts and one of this one.

    Each table is read by one key. Where a second one is named, Postgres may choose it while the
    table is small, and read the whole campaign by it when it has grown.
    """
    today, now = times
    mine, others = (
        Assignment.objects.filter(participation=me),
        Participation.objects.filter(campaign=campaign, annotator=annotator).exclude(pk=me),
    )
    over = Assignment.objects.filter(campaign=campaign, status=LEASED, expires_at__lte=now)
    is_judged = Q(status__in=Assignment.JUDGED)
    judged_today = _number(is_judged & Q(ended_at__gte=today))  # ended: when it was judged
    in_hand = Min("pk", filter=Q(status=LEASED, expires_at__gt=now))
    return Participation.objects.filter(pk=me).values_list(
        _counts(theirs, _number(IS_HELD), _number(Q(gold__isnull=False)), judged_today),
        _counts(mine, _number(Q(status=LEASED)), in_hand, _number(is_judged), judged_today),
        sum_of(earned, "campaign"),
        ListOf(picking.items_of_last(theirs)),
        Exists(eligibility.reviews_against(campaign, annotator)),
        Exists(eligibility.blocks_against(campaign, annotator)),
        Exists(promises.open_of(campaign, [annotator])),
        Exists(over),
        Exists(others),
    )


def _number(of: Q) -> Count:
    return Count("pk", filter=of)


def _counts(rows: QuerySet[Assignment], *counts: Count | Min) -> Subquery:
    """Return the counts of these rows of one campaign as a list; null where there are no rows."""
    grouped = rows.order_by().values("campaign").annotate(one=JSONArray(*counts))
    return Subquery(grouped.values("one"))


NUMBERS, TIMES = ("campaign", "annotator", "me"), ("today", "now")
_ALONE, _SURE, _UNSURE = (
    Prepared(build, numbers=NUMBERS, times=TIMES) for build in (_alone, _sure, _unsure)
)
