"""Looking at the crowds, regularly and at start: what they say is the truth, and is followed.

Each posting is looked at by itself, so that a crowd which is down, or an answer that nobody
expected, keeps no other posting waiting. Every step is safe to repeat.
"""

import logging
from collections.abc import Iterator
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate import adapters
from annotate.crowds.base import Configuration, CrowdError, Level, Marketplace, NotFound, Stage
from annotate.models import Batch, Campaign, Operation, Participation, Posting
from annotate.services import (
    audit,
    confirming,
    evidence,
    exclusion_lists,
    leasing,
    outbox,
    postings,
    refilling,
    settling,
)

Status = Posting.Status
LIVE = (Status.OPEN, Status.DRAINING)
UNDECIDED = (
    Participation.Status.ACTIVE,
    Participation.Status.HANDED_IN,
    Participation.Status.CONFIRMED,
)
QUIET = timedelta(minutes=5)  # how often a posting is looked at where nobody is at work
LATE = timedelta(hours=1)  # and one that is over, while something about it is undecided
AT_ONCE = 200  # postings that one run looks at, those first that were not seen for longest
OLDEST = timedelta(seconds=0)

logger = logging.getLogger(__name__)


def reconcile_all() -> int:
    """Look at every posting whose turn it is, and at what follows; return how many."""
    outbox.carry_out_due()
    seen = 0
    for pk in _due():
        _guarded(reconcile, pk)
        seen += 1
    for campaign_id in _campaigns():
        _guarded(_look_after, campaign_id)
    outbox.carry_out_due()
    return seen


def reconcile(posting_id: int) -> bool:
    """Compare one posting with its crowd, and follow; False where the crowd does not answer."""
    posting = Posting.objects.select_related("batch").get(pk=posting_id)
    if not posting.external_id:
        return False
    try:
        crowd = _crowd(posting)
        _follow(posting, crowd, crowd.posting_level(posting.external_id))
    except NotFound as error:
        _note(posting, f"The crowd does not list this posting any more. {error.message}")
        return False
    except CrowdError as error:
        _note(posting, f"The crowd could not be asked. {error.message}")
        return False
    _archive(posting_id)
    return True


def _crowd(posting: Posting) -> Marketplace:
    crowd = adapters.marketplace(posting.batch.crowd)
    if crowd.environment != posting.environment:
        raise Configuration(
            f"It was published in “{posting.environment}”, but the settings name "
            f"“{crowd.environment}”."
        )
    return crowd


def _follow(posting: Posting, crowd: Marketplace, level: Level) -> None:
    """The list is read whole, after the level: what is missing in it is not there."""
    listed = set()
    for seen in crowd.iter_submissions(posting.external_id):
        listed.add((seen.unit, seen.person))
        confirming.take(posting.pk, seen)
    confirming.lapse(posting.pk, listed)
    _level(posting, level)


def _level(posting: Posting, level: Level) -> None:
    Posting.objects.filter(pk=posting.pk).update(
        looked_at=timezone.now(), available=level.available, pending=level.pending, problem="",
        **({"expires_at": level.expires_at} if level.expires_at else {}),
    )  # fmt: skip
    to = {Stage.DRAINING: Status.DRAINING, Stage.CLOSED: Status.CLOSED}.get(level.stage)
    sources = {Status.DRAINING: (Status.OPEN,), Status.CLOSED: LIVE}.get(to) if to else None
    if sources is None:
        return
    with transaction.atomic():
        campaign_id = leasing.lock(posting.batch.campaign_id).pk
        if Posting.objects.filter(pk=posting.pk, status__in=sources).update(status=to):
            audit.record(f"posting_{to}", campaign_id=campaign_id,
                         subject=f"posting:{posting.public_id}")  # fmt: skip
            evidence.mark(campaign_id, "posting")  # the end of a campaign may have waited for it


def _note(posting: Posting, problem: str) -> None:
    Posting.objects.filter(pk=posting.pk).update(problem=problem, looked_at=timezone.now())


def _archive(posting_id: int) -> None:
    """Put a posting away once everything about it is decided, and can be decided no other way."""
    posting = Posting.objects.select_related("batch__campaign").get(pk=posting_id)
    if posting.status != Status.CLOSED or _may_change(posting):
        return
    with transaction.atomic():
        leasing.lock(posting.batch.campaign_id)
        postings.archive(posting)


def _may_change(posting: Posting) -> bool:
    """Whether a unit is undecided, an operation open, or a rejection could still be overridden."""
    mine = Participation.objects.filter(posting=posting)
    limit = adapters.marketplace(posting.batch.crowd).can.override_refusal
    rejected = Q(status=Participation.Status.REJECTED)
    if limit is not None:
        rejected &= Q(submitted_at__gt=timezone.now() - limit)
    open_ = (*Operation.OPEN, Operation.Status.UNCLEAR)
    return (
        mine.filter(Q(status__in=UNDECIDED) | rejected).exists()
        or Operation.objects.filter(
            Q(posting=posting) | Q(participation__in=mine), status__in=open_
        ).exists()
    )


def _due() -> list[int]:
    """Return the postings whose turn it is, those first that were not looked at for longest."""
    now = timezone.now()
    undecided = Posting.objects.filter(participations__status__in=UNDECIDED)
    busy = Q(status__in=LIVE) & (Q(pending__gt=0) | Q(pk__in=undecided))
    turn = (
        Q(looked_at=None)
        | busy
        | Q(status__in=LIVE, looked_at__lte=now - QUIET)
        | Q(status=Status.CLOSED, pk__in=undecided, looked_at__lte=now - QUIET)
    )
    rows = Posting.objects.filter(turn, status__in=(*LIVE, Status.CLOSED)).exclude(external_id="")
    ordered = rows.order_by(_never_first(), "pk")
    return list(ordered.values_list("pk", flat=True)[:AT_ONCE])
