"""Compares postings with their crowds: confirmed work counts, pay of lost work is cancelled.

A crowd is read again and again, so each function is safe to repeat. Each one locks the campaign
first (`annotate.work.leasing`).
"""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import cast

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import progress
from annotate.common import audit, intents, locks, marks
from annotate.common.errors import Conflict, NotFound
from annotate.crowds import adapters, outbox, people, postings
from annotate.crowds import queries as crowds_queries
from annotate.crowds.contract import (
    Configuration,
    CrowdError,
    Event,
    Marketplace,
    NotFoundAtCrowd,
    PostingLevel,
    Stage,
    Submission,
    UnitState,
    from_json,
)
from annotate.crowds.prolific.marketplace import HookState, Prolific
from annotate.models import (
    Annotator,
    Assignment,
    Batch,
    Campaign,
    CrowdEvent,
    Operation,
    Participation,
    Posting,
)
from annotate.pay import budget, ledger, settling
from annotate.work import admission, participations
from annotate.work import units as work_units

Status = Participation.Status
HERE = (Status.ACTIVE, Status.HANDED_IN)
SAME = {
    UnitState.SUBMITTED: Participation.LISTED,
    UnitState.APPROVED: (Status.APPROVED,),
    UnitState.REJECTED: (Status.REJECTED, Status.APPROVED),  # lists lag behind an override
    UnitState.RETURNED: (Status.LEFT, Status.APPROVED, Status.REJECTED),
}

NOBODY = (
    "The crowd lists this submission as handed in, but no one entered with it here: there is no "
    "work to count. Decide whether it is paid."
)
ELSEWHERE = (
    "This submission was begun in another posting here than the one that the crowd lists it in: "
    "the work does not count. Decide whether it is paid."
)
NO_RECEIPT = (
    "It was handed in at the crowd without the receipt that our last page gives: the work cannot "
    "be verified and does not count. Decide whether it is paid."
)
RETURNED = (
    "It was handed in after {n} of {tasks} tasks; {k} more were to be had and were returned "
    "undone. Decide whether the whole submission is paid."
)
TOO_LITTLE = (
    "It was handed in at the crowd after {n} of {tasks} tasks, without our last page. Decide "
    "whether the whole submission is paid."
)


def confirmed_news(posting_id: int, listed: Collection[Submission]) -> list[Submission]:
    """Return the listed submissions that are new here, with two queries for any length."""
    posting = Posting.objects.select_related("batch").get(pk=posting_id)
    units = [seen.unit for seen in listed]
    rows = (
        _ours(posting)
        .filter(external_key__in=units)
        .values_list("posting", "external_key", "annotator__external_id", "status")
    )
    known = {
        (unit, person): Status(status)
        # This posting's rows come last, so they take precedence.
        for _posting, unit, person, status in sorted(rows, key=lambda row: row[0] == posting_id)
    }
    return [seen for seen in listed if _is_news(seen, known.get((seen.unit, seen.person)))]


def _is_news(seen: Submission, status: Status | None) -> bool:
    if seen.state == UnitState.ACTIVE:
        return False
    return seen.state != UnitState.RETURNED if status is None else status not in SAME[seen.state]


def take(posting_id: int, seen: Submission) -> None:
    """Compare a listed submission with ours, and apply what the crowd says."""
    posting = Posting.objects.select_related("batch").get(pk=posting_id)
    found = _known(posting, seen)
    if not _is_news(seen, Status(found.status) if found else None):
        return
    with transaction.atomic():
        locks.campaign(posting.batch.campaign_id)
        found = _known(posting, seen) or _unknown(posting, seen)
        _others_left(found)
        _follow_unit(found, posting, seen)
    settling.settle_everywhere(found.annotator_id)


def lapse(posting: Posting, listed: Collection[tuple[str, str]], *, nobody: bool = False) -> int:
    """End the units whose time is over and that are not `listed` (unit, person); return how many.

    `listed` is a complete list, read after the time was over. nobody: the crowd counts no one at
    work, so units that are not listed were returned. Lists may be late by the grace time.
    """
    late = timezone.now() - settings.CROWD_GRACE
    over = Q(deadline_at__lte=late)
    if nobody:
        begun_before = Q(deadline_at__lte=late + from_json(posting.batch.terms).duration)
        over |= begun_before & (Q(handed_in_at=None) | Q(handed_in_at__lte=late))
    here = Participation.objects.filter(over, posting=posting, status__in=HERE)
    rows = here.order_by("pk").values_list("pk", "external_key", "annotator__external_id")
    due = [pk for pk, unit, person in rows if (unit, person) not in listed]
    n = 0
    for pk in due:
        with transaction.atomic():
            locks.campaign(posting.batch.campaign_id)
            # Unless a newer list contains it, or it was started again.
            n += here.filter(pk=pk).exists() and leave(pk)
    return n


def leave(participation_id: int) -> bool:
    """End a unit that was returned or timed out: its slots become free and its pay is cancelled."""
    found = _get(participation_id)
    with transaction.atomic():
        locks.campaign(found.campaign_id)
        if not participations.move(
            participation_id, Status.LEFT, sources=(*HERE, Status.CONFIRMED)
        ):
            return False
        participations.lose(found, now=timezone.now())
        ledger.lapse(found)
    return True


def _known(posting: Posting, seen: Submission) -> Participation | None:
    """Return our row of this person's unit. After a return, another person may have that unit."""
    mine = _ours(posting).filter(external_key=seen.unit, annotator__external_id=seen.person)
    mine = mine.select_related("campaign", "annotator", "posting__batch")
    found = list(mine.order_by("pk"))
    here = [one for one in found if one.posting_id == posting.pk]
    return next(iter([*here, *found]), None)


def _ours(posting: Posting) -> QuerySet[Participation]:
    """Return the units of a posting's crowd and environment."""
    return Participation.objects.filter(
        annotator__crowd=posting.batch.crowd, posting__environment=posting.environment
    )


def _unknown(posting: Posting, seen: Submission) -> Participation:
    """Create a row without work, so that a reviewer sees it and decides about its pay."""
    annotator, _made = Annotator.objects.get_or_create(
        crowd=posting.batch.crowd, environment=posting.environment, external_id=seen.person
    )
    made = Participation.objects.create(
        campaign_id=posting.batch.campaign_id,
        annotator=annotator,
        external_key=seen.unit,
        posting=posting,
        listing=seen.listing,
        tasks=posting.batch.tasks,
        problem=NOBODY,
    )
    return _get(made.pk)


def _others_left(found: Participation) -> None:
    """Record that the people who had this unit before have returned it."""
    others = Participation.objects.filter(
        posting=found.posting_id, external_key=found.external_key, status__in=HERE
    ).exclude(pk=found.pk)
    for pk in others.order_by("pk").values_list("pk", flat=True):
        leave(pk)


def _follow_unit(found: Participation, posting: Posting, seen: Submission) -> None:
    if seen.state == UnitState.RETURNED:
        leave(found.pk)
        return
    _confirm(found, posting, seen)
    if seen.state == UnitState.APPROVED:
        people.approved(found.pk)
    elif seen.state == UnitState.REJECTED:
        people.rejected(found.pk)


def _confirm(found: Participation, posting: Posting, seen: Submission) -> None:
    """Count the work if both sides agree that it was submitted; otherwise a person decides."""
    now = timezone.now()
    disagrees = _disagreement(found, posting, seen)
    confirmed = participations.move(
        found.pk,
        Status.CONFIRMED,
        sources=(*HERE, Status.LEFT),
        submitted_at=seen.submitted_at or now,
        auto_approval_at=seen.auto_approval_at,
        verified_at=None if disagrees else found.verified_at or now,
        problem=disagrees or _shortfall(found),
    )
    if not confirmed:
        return
    ledger.unlapse(found)
    if not disagrees:
        participations.verify(found, now=now)


def _disagreement(found: Participation, posting: Posting, seen: Submission) -> str:
    """Return the disagreement between the crowd and this database; "" if there is none."""
    if found.problem == NOBODY:
        return NOBODY
    if found.posting_id != posting.pk or found.listing != seen.listing:
        return ELSEWHERE
    by_receipt = not adapters.marketplace(posting.batch.crowd).can.verify_at_entry
    if by_receipt and (not found.receipt or seen.receipt != found.receipt):
        return NO_RECEIPT
    return ""


def _shortfall(found: Participation) -> str:
    """Return why the work is short of a whole unit; "" if it is not.

    The person submitted at the crowd before finishing here, or returned tasks undone.
    """
    tasks, given_back = found.tasks or 0, work_units.given_back(found.pk)
    judged = Assignment.objects.filter(Assignment.has_work(), participation=found).count()
    if judged >= tasks or (found.handed_in_at is not None and not given_back):
        return ""
    if found.handed_in_at is not None:
        return RETURNED.format(n=judged, tasks=tasks, k=given_back)
    return TOO_LITTLE.format(n=judged, tasks=tasks)


def _get(participation_id: int) -> Participation:
    return Participation.objects.select_related("campaign", "annotator", "posting__batch").get(
        pk=participation_id
    )


# Offers the abandoned gaps of a closing campaign to new people.


TRIES = 2  # per gap; after that it waits for the researcher


def refill(campaign_id: int) -> Posting | None:
    """Publish the units that a closing campaign's gaps need, within its places and budget.

    The places are those of its last batch. Returns None where there is no gap, people may still
    fill the gaps, or a refill is under way.
    """
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status != Campaign.Status.CLOSING or admission.blocked(campaign, for_now=False):
            return None
        batch = Batch.objects.filter(campaign=campaign).order_by("pk").last()
        live = Posting.objects.filter(batch__campaign=campaign_id, status__in=budget.TO_COME)
        if batch is None or live.exists():
            return None
        share = campaign.gold_share
        covered = budget.judgments_of(budget.promised_tasks(campaign_id), share)
        # The free slots that were not offered too often, in order of leasing. People at work take
        # the first of them.
        free = progress.free(campaign_id).annotate(offered=Count("refills", distinct=True))
        gaps = list(free.filter(offered__lt=TRIES).values_list("pk", flat=True))[covered:]
        wanted = -(-budget.with_gold(len(gaps), share) // batch.tasks)
        units = min(wanted, budget.unused_units(batch))
        left, each = budget.left(batch.campaign), budget.unit_price(batch.campaign, batch.reward)
        if left is not None and each:
            units = min(units, int(left // each))
        if units <= 0:
            return None
        number = batch.postings.exclude(gaps=None).count() + 1
        posting = postings.plan(batch, units, key=f"refill:{batch.pk}:{number}")
        gaps = gaps[: units * batch.tasks]
        posting.gaps.set(gaps)
        audit.record(
            "refill",
            campaign_id=batch.campaign_id,
            subject=f"batch:{batch.public_id}",
            places=units,
            gaps=len(gaps),
        )
        return posting


# Notifications from a crowd. Each is stored once and prompts a look at one posting.


def address(crowd: str) -> str:
    """Return the path at which a crowd's events are received."""
    return f"{settings.PUBLIC_URL}{reverse('annotate:crowd-events', args=[crowd])}"


def subscribe_to_prolific() -> tuple[str, dict[str, HookState]]:
    """Subscribe to notifications from Prolific, once. Raises a `CrowdError`.

    Returns the secret that signs them, and what was done for each event.
    """
    return cast(Prolific, adapters.marketplace("prolific")).subscribe(address("prolific"))


def receive(crowd: str, raw: bytes, headers: Mapping[str, str]) -> bool:
    """Store an event and have its posting compared soon; return whether it was new.

    Raises `NotFound` for a crowd without notifications, and `InvalidEntry` for an invalid one.
    """
    try:
        adapter = adapters.marketplace(crowd)
    except Configuration:
        raise NotFound("No crowd of this name sends notifications.") from None
    event = adapter.parse_event(raw, headers)
    with transaction.atomic():
        _row, made = CrowdEvent.objects.get_or_create(
            crowd=adapter.key,
            environment=adapter.environment,
            external_id=event.id,
            defaults={
                "at": event.at,
                "listing": event.listing,
                "unit": event.unit,
                "received_at": timezone.now(),
            },
        )
        posting = _posting(adapter, event) if made else None
        # Events come late and out of order: this one is news if it is later than the last look.
        if posting and (posting.looked_at is None or event.at > posting.looked_at):
            intents.announce_posting(posting.pk)
    return made


def _posting(adapter: Marketplace, event: Event) -> Posting | None:
    ours = Posting.objects.filter(batch__crowd=adapter.key, environment=adapter.environment)
    if event.listing:
        return ours.filter(external_id=event.listing).first()
    units = Participation.objects.filter(external_key=event.unit)
    return ours.filter(participations__in=units).first() if event.unit else None


# Compares postings with their crowds: regularly, at start, and when an owner asks.


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
    outbox.carry_out_due()
    for pk in crowds_queries.due(all_=all_):
        if time.monotonic() >= until:
            break
        _guarded(reconcile, pk)
        seen += 1
    for campaign_id in crowds_queries.campaigns():
        _guarded(_look_after, campaign_id)
    outbox.carry_out_due()
    return seen


def reconcile(posting_id: int) -> bool:
    """Compare one posting with its crowd and follow it; False if the crowd does not answer."""
    posting = Posting.objects.select_related("batch__campaign").get(pk=posting_id)
    if not posting.external_id:
        return False
    if not outbox.permit(posting.batch.crowd, posting.environment, wait=PATIENCE):
        return False
    try:
        crowd = _crowd(posting)
        campaign, currency = posting.batch.campaign, crowd.currency()
        if campaign.currency != currency:  # version 0.1 did not keep it
            Campaign.objects.filter(pk=campaign.pk).update(currency=currency)
        _follow(posting, crowd, crowd.posting_level(posting.external_id))
    except NotFoundAtCrowd as error:
        lapse(posting, ())  # no one can submit; late ones return (`take`)
        _note(posting, f"The crowd does not list this posting any more. {error.message}")
        return False
    except CrowdError as error:
        _note(posting, f"The crowd could not be asked. {error.message}")
        return False
    return True


def _crowd(posting: Posting) -> Marketplace:
    crowd = adapters.marketplace(posting.batch.crowd)
    if crowd.environment != posting.environment:
        raise Configuration(
            f"It was published in “{posting.environment}”, but the settings name "
            f"“{crowd.environment}”."
        )
    return crowd


def _follow(posting: Posting, crowd: Marketplace, level: PostingLevel) -> None:
    """Apply the whole list, read after the level: what it lacks does not exist."""
    listed = list(crowd.iter_submissions(posting.external_id))
    failed = []
    for seen in confirmed_news(posting.pk, listed):
        try:
            take(posting.pk, seen)
        except Exception:  # it does not delay the others of its posting
            logger.exception("submission %s of posting %s was not taken in", seen.unit, posting.pk)
            failed.append(seen.unit)
    lapse(
        posting,
        {(seen.unit, seen.person) for seen in listed},
        nobody=_nobody_at_work(posting, level, listed),
    )
    problem = f"Could not be taken in, see the log: {', '.join(failed)}." if failed else ""
    _level(posting, level, problem=problem)


def _nobody_at_work(posting: Posting, level: PostingLevel, listed: Sequence[Submission]) -> bool:
    """Return whether the last two looks found no one at work and all submissions are listed.

    MTurk counts people at work without listing them until the HIT is stopped or expires. According
    to its documents, it does not count them afterwards.
    """
    done = sum(seen.state in HANDED_IN for seen in listed)
    counted = level.pending == 0 and level.places - level.available == done
    return level.stage is Stage.OPEN and posting.pending == 0 and counted


def _level(posting: Posting, level: PostingLevel, *, problem: str) -> None:
    stops, now = list(posting.operations.filter(kind=Operation.Kind.STOP)), timezone.now()
    over = _is_to_be_over(posting, stops)
    if level.paused and not over:
        problem = problem or PAUSED.format(crowd=adapters.crowd_label(posting.batch.crowd))
    audit.note(
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
    _move(posting, postings.OF_STAGE[level.stage])
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
        if postings.move(posting, to, sources=postings.sources(to)):
            marks.mark(campaign_id, "posting")  # the campaign's end may have waited for it


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
    people.sync(campaign_id)
    settling.settle_campaign(campaign_id)
    campaign = Campaign.objects.get(pk=campaign_id)
    if campaign.status == Campaign.Status.CLOSING:
        refill(campaign_id)
    for pk in crowds_queries.decided(campaign):
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
        found = list(crowds_queries.at_the_crowd(campaign_id).values_list("pk", flat=True))
        for posting_id in found:
            intents.announce_posting(posting_id)
        audit.record("look", campaign_id=campaign_id, actor_id=actor_id, postings=len(found))
    return len(found)


def retry_refused(campaign_id: int, *, actor_id: int) -> tuple[int, list[str]]:
    """Try again all operations of a campaign that the crowd refused and that are still possible.

    Returns their number, and each reason why others are not tried again.
    """
    rows = Operation.objects.filter(campaign=campaign_id, status=Operation.Status.REFUSED)
    n, kept = 0, []
    for pk in rows.order_by("pk").values_list("pk", flat=True):
        try:
            outbox.retry(pk, actor_id=actor_id)
        except Conflict as refused:
            kept.append(refused.message)
        else:
            n += 1
    return n, list(dict.fromkeys(kept))
