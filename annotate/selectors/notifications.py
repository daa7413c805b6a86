"""A campaign's subscriptions, and the results of what was sent."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Count, Q, QuerySet, When

from annotate.models import Subscription
from annotate.selectors import keysets
from annotate.selectors.listings import Listing
from annotate.states import NotificationChannel

MOST_ENDED = 20


@dataclass(frozen=True)
class SubscriptionLine:
    """A subscription. waiting: what is not sent yet. problem: of the last attempt; "" if none."""

    public_id: str
    user_id: int
    who: str
    channel: NotificationChannel
    url: str
    events: tuple[str, ...]
    created_at: datetime
    ended_at: datetime | None
    last_sent_at: datetime | None
    next_at: datetime
    problem: str
    waiting: int
    given_up: int

    @property
    def is_mail(self) -> bool:
        return self.channel == NotificationChannel.MAIL


def of(campaign_id: int) -> list[SubscriptionLine]:
    """Return the subscriptions of a campaign, then those that have ended, the newest first."""
    rows = _of(campaign_id)
    going = list(rows.filter(ended_at=None))
    return [
        _told(row) for row in (*going, *rows.exclude(ended_at=None).order_by("-id")[:MOST_ENDED])
    ]


def page(campaign_id: int, listing: Listing) -> tuple[Listing, list[SubscriptionLine]]:
    """Return a page of all of them: those that go on, then the others, the newest first."""
    rows = _of(campaign_id).annotate(is_over=Case(When(ended_at=None, then=0), default=1))
    listing, shown = keysets.page(rows, ("is_over", "-pk"), listing)
    return listing, list(map(_told, shown))


def _of(campaign_id: int) -> "QuerySet[Subscription]":
    unsent = Q(notifications__sent_at=None)
    return (
        Subscription.objects.filter(campaign=campaign_id)
        .select_related("user")
        .annotate(
            waiting=Count("notifications", unsent & Q(notifications__given_up_at=None)),
            given_up=Count("notifications", unsent & Q(notifications__given_up_at__isnull=False)),
        )
    )


def one(campaign_id: int, public_id: str) -> SubscriptionLine:
    """Return one subscription of a campaign."""
    return next(told for told in of(campaign_id) if told.public_id == public_id)


def _told(row: Subscription) -> SubscriptionLine:
    return SubscriptionLine(
        public_id=row.public_id,
        user_id=row.user_id,
        who=row.user.get_username(),
        channel=NotificationChannel(row.channel),
        url=row.url,
        events=tuple(row.events),
        created_at=row.created_at,
        ended_at=row.ended_at,
        last_sent_at=row.last_sent_at,
        next_at=row.next_at,
        problem=row.problem,
        waiting=row.waiting,  # type: ignore[attr-defined]
        given_up=row.given_up,  # type: ignore[attr-defined]
    )
