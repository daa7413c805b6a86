"""Compares postings with their crowds: regularly, at start, and when an owner asks."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotate import adapters
from annotate.crowds.base import (
    Configuration,
    CrowdError,
    Fullness,
    Marketplace,
    NotFoundAtCrowd,
    Stage,
    Submission,
    UnitState,
)
from annotate.errors import Conflict
from annotate.models import Campaign, Operation, Posting
from annotate.selectors.marketplace import watching
from annotate.services import audit, change_marks, locks, transitions
from annotate.services.marketplace import (
    confirming,
    exclusion_lists,
    posting_states,
    postings,
    refilling,
)
from annotate.services.outbox import crowd_calls, delivery, intents
from annotate.services.pay import settling

LAG = timedelta(minutes=1)  # lists and counts may be this much older than a stop
HANDED_IN = (UnitState.SUBMITTED, UnitState.APPROVED, UnitState.REJECTED)
PATIENCE = 2.0  # seconds to wait for permission to call the crowd
PAUSED = (
    "{crowd} has paused it, so its free places cannot be taken. Start it there to fill them, or "
    "stop this batch here."
)

logger = logging.getLogger(__name__)


def reconcile_all(*, within: float = 20.0, all_: bool = False) -> int:
    """Compare the due postings for `within` seconds, and apply what follows.

    Returns the number compared; the others come first next time. all_: compare every posting, due
    or not.
    """
    until, seen = time.monotonic() + within, 0
    delivery.carry_out_due()
    for pk in watching.due(all_=all_):
        if time.monotonic() >= until:
            break
        _guarded(reconcile, pk)
        seen += 1
    for campaign_id in watching.campaigns():
        _guarded(_look_after, campaign_id)
    delivery.carry_out_due()
    return seen


def reconcile(posting_id: int) -> bool:
    """Compare one posting with its crowd and follow it; False if the crowd does not answer."""
    posting = Posting.objects.select_related("batch__campaign").get(pk=posting_id)
    if not posting.external_id:
        return False
    if not crowd_calls.permit(posting.batch.crowd, posting.environment, wait=PATIENCE):
        return False
    try:
        crowd = _crowd(posting)
        _count_in(posting.batch.campaign, crowd.currency())
        _follow(posting, crowd, crowd.posting_level(posting.external_id))
    except NotFoundAtCrowd as error:
        confirming.lapse(posting, ())  # no one can submit; late ones return (`take`)
        _note(posting, f"The crowd does not list this posting any more. {error.message}")
        return False
    except CrowdError as error:
        _note(posting, f"The crowd could not be asked. {error.message}")
        return False
    return True


def _count_in(campaign: Campaign, currency: str) -> None:
    """Store the currency of the account, which version 0.1 did not keep."""
    if campaign.currency != currency:
        Campaign.objects.filter(pk=campaign.pk).update(currency=currency)


def _crowd(posting: Posting) -> Marketplace:
    crowd = adapters.marketplace(posting.batch.crowd)
    if crowd.environment != posting.environment:
        raise Configuration(
            f"It was published in “{posting.environment}”, but the settings name "
            f"“{crowd.environment}”."
        )
    return crowd


def _follow(posting: Posting, crowd: Marketplace, level: Fullness) -> None:
    """Apply the whole list, read after the level: what it lacks does not exist."""
    listed = list(crowd.iter_submissions(posting.external_id))
    news = confirming.news(posting.pk, listed)
    failed = [seen.unit for seen in news if not _take(posting.pk, seen)]
    confirming.lapse(
        posting,
        {(seen.unit, seen.person) for seen in listed},
        nobody=_nobody_at_work(posting, level, listed),
    )
    problem = f"Could not be taken in, see the log: {', '.join(failed)}." if failed else ""
    _level(posting, level, problem=problem)


def _nobody_at_work(posting: Posting, level: Fullness, listed: Sequence[Submission]) -> bool:
    """Return whether the last two looks found no one at work and all submissions are listed.

    MTurk counts people at work without listing them until the HIT is stopped or expires. According
    to its documents, it does not count them afterwards.
    """
    done = sum(seen.state in HANDED_IN for seen in listed)
    counted = level.pending == 0 and level.places - level.available == done
    return level.stage is Stage.OPEN and posting.pending == 0 and counted


def _take(posting_id: int, seen: Submission) -> bool:
    """Process one submission; an error is logged and does not delay the others of its posting."""
    try:
        confirming.take(posting_id, seen)
    except Exception:
        logger.exception("submission %s of posting %s could not be taken in", seen.unit, posting_id)
        return False
    return True


def _level(posting: Posting, level: Fullness, *, problem: str) -> None:
    stops, now = list(posting.operations.filter(kind=Operation.Kind.STOP)), timezone.now()
    over = _is_to_be_over(posting, stops)
    if level.paused and not over:
        problem = problem or PAUSED.format(crowd=adapters.label(posting.batch.crowd))
    transitions.note(
        Posting.objects.filter(pk=posting.pk),
        looked_at=now,
        available=level.available,
        pending=level.pending,
        problem=problem,
        **({"expires_at": level.expires_at} if level.expires_at else {}),
    )
    goes_on = level.stage is Stage.OPEN or level.paused
    done_at = stops[-1].done_at if stops else None
    if goes_on and done_at is not None and done_at > now - len(stops) * LAG:
        return  # read before the stop, perhaps; each stop in vain waits longer
    _move(posting, posting_states.OF_STAGE[level.stage])
    if goes_on and over:
        with transaction.atomic():
            locks.campaign(posting.batch.campaign_id)
            postings.stop(posting, again=True)


def _move(posting: Posting, to: Posting.Status) -> None:
    """Move the posting to the state that its crowd reports."""
    if posting.status == to:
        return
    with transaction.atomic():
        campaign_id = locks.campaign(posting.batch.campaign_id).pk
        if posting_states.move(posting, to, sources=posting_states.sources(to)):
            change_marks.mark(campaign_id, "posting")  # the campaign's end may have waited for it


def _is_to_be_over(posting: Posting, stops: Sequence[Operation]) -> bool:
    """Return whether the posting should end. A person's decision about its stop is kept.

    Postings that refill a closing campaign belong to a batch that was stopped with it.
    """
    if stops:
        return stops[-1].status == Operation.Status.DONE
    if posting.batch.stopped_at is None:
        return False
    campaign = Campaign.objects.get(pk=posting.batch.campaign_id)
    return campaign.status != Campaign.Status.CLOSING


def _note(posting: Posting, problem: str) -> None:
    Posting.objects.filter(pk=posting.pk).update(problem=problem, looked_at=timezone.now())


def _look_after(campaign_id: int) -> None:
    """Pay what is due, offer gaps again, archive what is decided."""
    exclusion_lists.sync(campaign_id)
    settling.settle_campaign(campaign_id)
    campaign = Campaign.objects.get(pk=campaign_id)
    if campaign.status == Campaign.Status.CLOSING:
        refilling.refill(campaign_id)
    for pk in watching.decided(campaign):
        _archive(pk)


def _archive(posting_id: int) -> None:
    posting = Posting.objects.select_related("batch").get(pk=posting_id)
    with transaction.atomic():
        locks.campaign(posting.batch.campaign_id)
        postings.archive(posting)


def _guarded(step: Callable[[int], object], pk: int) -> None:
    """Run one step. An error is logged and does not delay the others."""
    try:
        step(pk)
    except Exception:
        logger.exception("%s(%s) failed", step.__name__, pk)


def look(campaign_id: int, *, actor_id: int) -> int:
    """Have workers compare the campaign's postings with the crowd soon; return how many."""
    with transaction.atomic():
        found = list(watching.at_the_crowd(campaign_id).values_list("pk", flat=True))
        for posting_id in found:
            intents.announce_posting(posting_id)
        audit.record("look", campaign_id=campaign_id, actor_id=actor_id, postings=len(found))
    return len(found)


@dataclass(frozen=True)
class Retried:
    """The number of operations tried again, and in `kept` each reason why others are not."""

    n: int
    kept: tuple[str, ...]


def retry_refused(campaign_id: int, *, actor_id: int) -> Retried:
    """Try again all operations of a campaign that the crowd refused and that are still possible."""
    rows = Operation.objects.filter(campaign=campaign_id, status=Operation.Status.REFUSED)
    n, kept = 0, []
    for pk in rows.order_by("pk").values_list("pk", flat=True):
        try:
            delivery.retry(pk, actor_id=actor_id)
        except Conflict as refused:
            kept.append(refused.message)
        else:
            n += 1
    return Retried(n, tuple(dict.fromkeys(kept)))
