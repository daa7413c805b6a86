"""The current offer on a campaign's crowd, and how much of it is taken."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Q
from django.utils import timezone

from annotate.models import Batch, Operation, Participation, Posting
from annotate.selectors.campaigns.progress import since
from annotate.selectors.marketplace.operations import STUCK
from annotate.selectors.pay.open_units import TO_COME, promised_tasks

FUNDS = "funds"  # the code of operations that the account at a crowd could not pay for

Stage = Posting.Status
Unit = Participation.Status


@dataclass(frozen=True)
class Offered:
    """What is offered.

    launched: whether a batch was ever launched.
    publishing: postings that the crowd does not have yet.
    untaken: units that people may take now.
    at_work: units in progress and in time, with `promised` tasks left.
    waited: time since the newest batch was launched, rounded down.
    retried, stuck, unfunded: operations at the crowd that are retried automatically, that wait for
        a person, and that the account could not pay for.
    """

    launched: bool = False
    publishing: int = 0
    untaken: int = 0
    at_work: int = 0
    promised: int = 0
    waited: timedelta | None = None
    retried: int = 0
    stuck: int = 0
    unfunded: int = 0

    @property
    def is_offered(self) -> bool:
        return bool(self.publishing or self.untaken)


def offered(campaign_id: int) -> Offered:
    """Return what is offered; five queries."""
    now = timezone.now()
    newest = Batch.objects.filter(campaign=campaign_id).aggregate(at=Max("created_at"))["at"]
    return Offered(
        launched=newest is not None,
        waited=since(newest, now),
        at_work=_at_work(campaign_id, now),
        promised=promised_tasks(campaign_id),
        **_postings(campaign_id, now),
        **_acts(campaign_id),
    )


def _postings(campaign_id: int, now: datetime) -> dict[str, int]:
    """Count postings by state. Stopped postings, as after a pause, never continue."""
    stays = ~Q(participations__status=Unit.LEFT)
    rows = (
        Posting.objects.filter(batch__campaign=campaign_id, batch__stopped_at=None)
        .filter(Q(expires_at=None) | Q(expires_at__gt=now), status__in=TO_COME)
        .annotate(taken=Count("participations", filter=stays))
        .values_list("status", "places", "taken")
    )
    found = list(rows)
    return {
        "publishing": sum(status == Stage.PLANNED for status, _, _ in found),
        "untaken": sum(
            max(0, places - taken) for status, places, taken in found if status == Stage.OPEN
        ),
    }


def _at_work(campaign_id: int, now: datetime) -> int:
    units = Participation.objects.filter(campaign=campaign_id, tasks__isnull=False)
    in_time = Q(deadline_at=None) | Q(deadline_at__gt=now)
    return units.filter(in_time, status=Unit.ACTIVE).count()


def _acts(campaign_id: int) -> dict[str, int]:
    """Count as `operations` does: a message means that something did not go as planned."""
    told = Q(status__in=Operation.OPEN) & ~Q(message="")
    counts: dict[str, int] = Operation.objects.filter(campaign=campaign_id).aggregate(
        retried=Count("pk", filter=told),
        stuck=Count("pk", filter=Q(status__in=STUCK)),
        unfunded=Count("pk", filter=Q(code=FUNDS) & (Q(status__in=STUCK) | told)),
    )
    return counts
