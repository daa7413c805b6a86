"""Whether pay for a person's work in a campaign can still be refused, by its crowd's rules."""

from datetime import datetime

from django.db.models import Max, Q, QuerySet

from annotate import adapters
from annotate.crowds.base import Entry
from annotate.models import Campaign, Judgment, LedgerEntry, Operation, Participation
from annotate.selectors.pay import accounts
from annotate.selectors.pay.accounts import GIVEN

Status = Participation.Status
Kind = Operation.Kind
UNDECIDED = (Status.HANDED_IN, Status.CONFIRMED)
MAYBE = (Operation.Status.SENT, Operation.Status.UNCLEAR, Operation.Status.DONE)


def until(campaign_id: int, annotator_id: int) -> datetime | None:
    """Return the end of the time to refuse pay; None if no limit runs yet.

    By link, it is a fixed time after the last judgment; on a marketplace, when the crowd
    automatically approves the first of the units.
    """
    crowd = crowd_of(campaign_id)
    limit = crowd.refusal_limit
    if not adapters.publishes(crowd.key):
        mine = Judgment.objects.filter(campaign=campaign_id, annotator=annotator_id)
        last: datetime | None = mine.aggregate(last=Max("submitted_at"))["last"]
        return last and last + limit
    units = _units(campaign_id, annotator_id).filter(status=Status.CONFIRMED)
    ends = [
        auto or (at and at + limit)
        for auto, at in units.values_list("auto_approval_at", "submitted_at")
    ]
    return min(filter(None, ends), default=None)


def crowd_of(campaign_id: int) -> Entry:
    """Return the crowd of a campaign's people."""
    return adapters.entry(Campaign.objects.values_list("crowd", flat=True).get(pk=campaign_id))


def paid(campaign_id: int, annotator_id: int) -> bool:
    """Return whether some of the work has been paid, or may be in payment at this moment.

    By link, any mark counts. On a marketplace, extra pay that no ruling cancels is left out.
    """
    if not adapters.publishes(crowd_of(campaign_id).key):
        return accounts.paid_out(campaign_id, annotator_id) > 0
    units = _units(campaign_id, annotator_id)
    if units.filter(status=Status.APPROVED).exists():
        return True
    pays = Q(kind__in=(Kind.APPROVE, Kind.OVERRIDE)) | Q(
        kind=Kind.BONUS, entry__in=_for_work(campaign_id, annotator_id)
    )
    tried = Operation.objects.filter(pays, participation__in=units, status__in=MAYBE)
    return tried.exists()


def undecided(campaign_id: int, annotator_id: int) -> int:
    """Return how many submitted units of a marketplace are undecided."""
    return _units(campaign_id, annotator_id).filter(status__in=UNDECIDED).count()


def _units(campaign_id: int, annotator_id: int) -> QuerySet[Participation]:
    mine = Participation.objects.filter(campaign=campaign_id, annotator=annotator_id)
    return mine.exclude(posting=None)


def _for_work(campaign_id: int, annotator_id: int) -> QuerySet[LedgerEntry]:
    """Return the ledger rows that pay for work."""
    return LedgerEntry.objects.filter(
        campaign=campaign_id, participation__annotator=annotator_id, amount__gt=0
    ).exclude(kind__in=GIVEN)
