"""Batches: offered, launched, extended and stopped on a crowd.

Each function writes rows in one transaction under the campaign's lock. The outbox makes the calls.
"""

from dataclasses import replace
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotate import adapters
from annotate.crowds.base import CrowdError, ListingProblem
from annotate.crowds.terms import Terms, from_json, to_json
from annotate.errors import Conflict, Invalid, NotFound
from annotate.models import Batch, Campaign, Operation, Posting
from annotate.selectors.pay import budget
from annotate.services import audit, locks
from annotate.services.marketplace import exclusion_lists, offers, postings
from annotate.services.marketplace.offer_problems import MOST_PLACES, by_field, units_needed
from annotate.services.marketplace.offers import Offer

LONGEST_KEY = 60


def offer(campaign_id: int, terms: Terms, *, places: int) -> Offer:
    """Return what a launch would cost and what prevents it; no row is written."""
    campaign = _campaign(campaign_id)
    return offers.make(campaign, terms, places=places, reward=campaign.reward * terms.tasks)


def offer_more(batch_id: int, *, places: int) -> Offer:
    """Return what more places of a batch would cost and what prevents them."""
    batch = _batch(batch_id)
    found = offers.make(batch.campaign, from_json(batch.terms), places=places, reward=batch.reward)
    return replace(found, problems=(*found.problems, *_of_batch(batch)))


def suggested_places(campaign_id: int, tasks: int, *, balance: Decimal | None = None) -> int:
    """Return how many units of `tasks` tasks the plan still needs and the money covers.

    The money is what the budget leaves, and the `balance` at the crowd if it is known.
    """
    campaign = _campaign(campaign_id)
    if tasks < 1:
        return 0
    needed = units_needed(campaign_id, tasks)
    each = budget.unit_price(campaign, campaign.reward * tasks)
    for money in (budget.left(campaign), balance):
        if money is not None and each:
            needed = min(needed, int(money // each))
    return max(0, min(needed, MOST_PLACES))


def usual_tasks(campaign_id: int) -> int:
    """Return the default number of tasks in a unit of a new batch."""
    return budget.tasks_of(_campaign(campaign_id))


def balance(campaign_id: int) -> Decimal | None:
    """Return the balance of the account at the campaign's crowd; None if it is unknown."""
    try:
        return adapters.marketplace(_campaign(campaign_id).crowd).balance()
    except CrowdError:
        return None


def launch(
    campaign_id: int,
    terms: Terms,
    *,
    places: int,
    actor_id: int | None,
    confirmed: Decimal,
    key: str,
) -> Batch:
    """Store a batch for publishing; the same key returns the same batch.

    Raises `Invalid` with the reasons against the launch, and `Conflict` if the cost differs from
    the confirmed one.
    """
    _check_key(key)
    if made := made_with(campaign_id, key):
        return made
    shown = _agreed(offer(campaign_id, terms, places=places), confirmed)
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if made := made_with(campaign_id, key):
            return made
        _refuse(tuple(offers.local(campaign, shown)))
        campaign.currency = shown.currency
        campaign.save(update_fields=["currency"])
        batch = Batch.objects.create(
            campaign=campaign,
            crowd=shown.crowd,
            environment=shown.environment,
            terms=to_json(exclusion_lists.applied(shown.terms, campaign)),
            reward=shown.reward,
            tasks=shown.tasks,
            places=places,
            key=key,
            created_by_id=actor_id,
            created_at=timezone.now(),
        )
        for n, size in enumerate(shown.sizes):
            postings.plan(batch, size, key=f"publish:{batch.pk}:{n}")
        exclusion_lists.sync(campaign_id)
        _log(batch, "launch", actor_id, places=places, cost=str(shown.total))
    return batch


def made_with(campaign_id: int, key: str) -> Batch | None:
    """Return the batch that was launched with this key; None if there is none."""
    made = Batch.objects.filter(key=key).first()
    if made is not None and made.campaign_id != campaign_id:
        raise Conflict("This key belongs to a batch of another campaign.")
    return made


def extend(
    batch_id: int, places: int, *, actor_id: int | None, confirmed: Decimal, key: str
) -> None:
    """Ask for more places of a batch: its posting grows if it can, or new postings are added."""
    _check_key(key)
    reason = f"extend:{batch_id}:{key}"
    if Operation.objects.filter(key=f"{reason}:0").exists():
        return
    shown = _agreed(offer_more(batch_id, places=places), confirmed)
    with transaction.atomic():
        batch = _batch(batch_id)
        campaign = locks.campaign(batch.campaign_id)
        if Operation.objects.filter(key=f"{reason}:0").exists():
            return
        batch.refresh_from_db()
        _refuse((*offers.local(campaign, shown), *_of_batch(batch)))
        _place(batch, shown, reason)
        Batch.objects.filter(pk=batch.pk).update(places=batch.places + places)
        _log(batch, "extend", actor_id, places=places, cost=str(shown.total))


def stop(batch_id: int, *, actor_id: int | None) -> bool:
    """Stop a batch: no further people can enter, and those at work may finish.

    Returns False if the batch was already stopped.
    """
    batch = _batch(batch_id)
    with transaction.atomic():
        locks.campaign(batch.campaign_id)
        if not _mark_stopped(batch):
            return False
        _log(batch, "stop_batch", actor_id)
        _stop_postings(Posting.objects.filter(batch=batch))
    return True


def stop_all(campaign_id: int) -> int:
    """Stop all postings of a campaign, in the transaction in which it leaves `open`.

    Refills of batches that were stopped earlier are stopped too. Returns the number of postings.
    """
    for batch in Batch.objects.filter(campaign=campaign_id, stopped_at=None):
        if _mark_stopped(batch):
            _log(batch, "stop_batch", None)
    return _stop_postings(Posting.objects.filter(batch__campaign=campaign_id))


def _place(batch: Batch, shown: Offer, reason: str) -> None:
    """Add places: to the open posting if the crowd can extend it, otherwise as new postings."""
    open_ = batch.postings.filter(status=Posting.Status.OPEN).first()
    if len(shown.sizes) == 1 and shown.grows and open_ is not None:
        postings.grow(open_, shown.places, key=f"{reason}:0")
        return
    for n, size in enumerate(shown.sizes):
        postings.plan(batch, size, key=f"{reason}:{n}")


def _mark_stopped(batch: Batch) -> int:
    unstopped = Batch.objects.filter(pk=batch.pk, stopped_at=None)
    return unstopped.update(stopped_at=timezone.now())


def _stop_postings(rows: QuerySet[Posting]) -> int:
    found = postings.stoppable(rows).select_related("batch")
    for posting in found:
        postings.stop(posting)
    return len(found)


def _agreed(shown: Offer, confirmed: Decimal) -> Offer:
    _refuse(shown.problems)
    if confirmed != shown.total:
        raise Conflict(
            f"This may cost {shown.money(shown.total)} now, not "
            f"{shown.money(confirmed)}. Look at the offer again.",
            code="cost",
        )
    return shown


def _refuse(problems: tuple[ListingProblem, ...]) -> None:
    if errors := by_field(problems):
        raise Invalid(errors)


def _of_batch(batch: Batch) -> tuple[ListingProblem, ...]:
    if batch.stopped_at is None:
        return ()
    return (ListingProblem("batch", "This batch has been stopped. Launch a new one."),)


def _check_key(key: str) -> None:
    if not 1 <= len(key) <= LONGEST_KEY:
        raise Invalid({"key": f"A request needs a key of 1 to {LONGEST_KEY} characters."})


def _campaign(campaign_id: int) -> Campaign:
    return Campaign.objects.get(pk=campaign_id)


def _batch(batch_id: int) -> Batch:
    try:
        return Batch.objects.select_related("campaign").get(pk=batch_id)
    except Batch.DoesNotExist:
        raise NotFound("There is no such batch.") from None


def _log(batch: Batch, verb: str, actor_id: int | None, **detail: object) -> None:
    audit.record(
        verb,
        campaign_id=batch.campaign_id,
        actor_id=actor_id,
        subject=f"batch:{batch.public_id}",
        crowd=batch.crowd,
        environment=batch.environment,
        **detail,
    )
