"""Where a person stands in a campaign after a judgment: what decides about the next task."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Exists, F, QuerySet, Subquery
from django.utils import timezone

from annotate.crowds.tariffs import ZERO
from annotate.models import Assignment, LedgerEntry, Participation
from annotate.selectors.pay import promises
from annotate.selectors.pay.accounts import count_of, sum_of
from annotate.selectors.prepared import ListOf, Prepared, Row
from annotate.selectors.review import eligibility
from annotate.selectors.work import picking


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
    """Return where this person stands; one query."""
    values = {"campaign": who.campaign_id, "annotator": who.annotator_id, "me": who.pk}
    today = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    (row,) = _STANDING[who.is_sure].rows(**values, today=today, now=now)
    held, had_gold, n_open, waiting, judged, judged_today, earned_today, recent, *holds = row
    reviewed, blocked, owed, is_due = map(bool, holds)
    return PersonStanding(
        held,
        had_gold,
        n_open,
        waiting,
        judged,
        judged_today,
        earned_today.quantize(ZERO),
        barred=reviewed or blocked,
        owed=owed,
        is_due=is_due,
        recent=recent,
    )


def _all(
    campaign: int, annotator: int, me: int, today: datetime, now: datetime
) -> "QuerySet[Participation, Row]":
    """Show today's figures of all participations of a confirmed person."""
    judged, earned = _today(campaign, annotator, today)
    return _query(campaign, annotator, me, now, judged, earned)


def _here(
    campaign: int, annotator: int, me: int, today: datetime, now: datetime
) -> "QuerySet[Participation, Row]":
    """Show today's figures of this participation alone."""
    judged, earned = _today(campaign, annotator, today)
    judged, earned = judged.filter(participation=me), earned.filter(participation=me)
    return _query(campaign, annotator, me, now, judged, earned)


def _today(
    campaign: int, annotator: int, today: datetime
) -> tuple[QuerySet[Assignment], QuerySet[LedgerEntry]]:
    judged = Assignment.objects.filter(
        campaign=campaign,
        annotator=annotator,
        status__in=Assignment.JUDGED,
        ended_at__gte=today,  # when it was judged
    )
    earned = LedgerEntry.objects.filter(
        campaign=campaign, participation__annotator=annotator, at__gte=today
    )
    return judged, earned


def _query(
    campaign: int,
    annotator: int,
    me: int,
    now: datetime,
    judged: QuerySet[Assignment],
    earned: QuerySet[LedgerEntry],
) -> "QuerySet[Participation, Row]":
    theirs = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    mine = Assignment.objects.filter(participation=me)
    over = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.LEASED)
    is_open = mine.filter(status=Assignment.Status.LEASED)
    waiting = is_open.filter(expires_at__gt=now).order_by("leased_at", "pk")
    return Participation.objects.filter(pk=me).values_list(
        count_of(theirs.filter(status__in=Assignment.HELD, gold=None), "campaign"),
        count_of(theirs.filter(gold__isnull=False), "campaign"),
        count_of(is_open, "participation"),
        Subquery(waiting.values("pk")[:1]),
        count_of(mine.filter(status__in=Assignment.JUDGED), "participation"),
        count_of(judged, "campaign"),
        sum_of(earned, "campaign"),
        ListOf(picking.recent_items(campaign, annotator).values(one=F("output__item"))),
        Exists(eligibility.reviews_against(campaign, annotator)),
        Exists(eligibility.blocks_against(campaign, annotator)),
        Exists(promises.open_of(campaign, [annotator])),
        Exists(over.filter(expires_at__lte=now)),
    )


NUMBERS, TIMES = ("campaign", "annotator", "me"), ("today", "now")
_STANDING = {
    True: Prepared(_all, numbers=NUMBERS, times=TIMES),
    False: Prepared(_here, numbers=NUMBERS, times=TIMES),
}
