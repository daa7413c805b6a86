"""What people are told in a posting, before they accept work."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate.common import audit, locks
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.common.numbers import DOLLARS, money_text
from annotate.common.text import interface_language
from annotate.crowds import adapters, people, postings, prices
from annotate.crowds.contract import (
    USUAL_AUTO_APPROVAL,
    Configuration,
    Cost,
    CrowdError,
    ListingProblem,
    Marketplace,
    Spec,
    Terms,
    from_json,
    to_json,
)
from annotate.crowds.postings import (
    MOST_PLACES,
    against,
    by_field,
    of_numbers,
    of_times,
    units_needed,
    without_effect,
)
from annotate.crowds.prices import ZERO, Bill
from annotate.models import Batch, Campaign, Operation, Posting
from annotate.models.base import new_public_id
from annotate.pay import budget, promise_queries, settling
from annotate.screening.signals import signals_on


def told_in_posting(description: str, campaign: Campaign) -> str:
    """Return a description of work that says, where it is so, what the page counts."""
    if not signals_on(campaign.screening):
        return description
    with override(interface_language(campaign.language)):
        said = _(
            "The page counts how you type and paste and how often you leave it, and notices "
            "accounts that share a network and a device. A person looks at your work before "
            "anything is decided. The counts are deleted 30 days after the study ends."
        )
    return description if said in description else f"{description.rstrip()} {said}".strip()


# The highest cost of a batch and the reasons against a launch, before money is spent.


SAMPLE = Decimal("1000.00")  # so large that its fee shows the rate


@dataclass(frozen=True)
class Offer:
    """What is shown before a launch.

    reward: for one unit.
    sizes: the places of each posting.
    bill: the highest cost by the campaign's own fee.
    said: the cost according to the crowd.
    fee_told: the fee that the crowd charges, where the campaign calculates with another one.
    left: the rest of the campaign's budget after the possible cost of earlier batches; None without
        a budget.
    balance: at the crowd; None if unknown.
    currency: of the account there, and so of all these amounts.
    gold_share: how many of 25 tasks are gold items, which are paid alike.
    """

    crowd: str
    label: str
    environment: str
    terms: Terms  # as they will be stored, without terms that have no effect there
    problems: tuple[ListingProblem, ...]
    places: int
    tasks: int
    sizes: tuple[int, ...]
    reward: Decimal
    bill: Bill
    fee_rate: Decimal
    balance: Decimal | None
    left: Decimal | None
    said: Cost | None = None
    fee_told: Decimal | None = None
    grows: bool = False
    currency: str = DOLLARS
    gold_share: int = 0

    @property
    def total(self) -> Decimal:
        """Return the highest possible cost, which the user confirms."""
        return self.bill.total

    @property
    def note(self) -> str:
        """Return what the crowd says of the cost where it differs, and which currency applies."""
        found = [
            settling.note(
                self.label, self.said, self.bill, share=self.fee_rate, currency=self.currency
            )
        ]
        if self.currency != DOLLARS:
            found.append(
                f"The account at {self.label} is in {self.currency}. Once this is launched, all "
                f"pages of this campaign use it, for annotators too."
            )
        return " ".join(filter(None, found))

    def money(self, amount: Decimal | None) -> str:
        """Return an amount in the currency of the account; "" for None."""
        return money_text(amount, self.currency)

    @property
    def judgments(self) -> int:
        """Return how many of all tasks bring a judgment; with gold, about so many."""
        return budget.judgments_of(self.places * self.tasks, self.gold_share)

    @property
    def gold(self) -> int:
        """Return about how many of all tasks are gold items."""
        return self.places * self.tasks - self.judgments

    @property
    def postings(self) -> int:
        return len(self.sizes)

    @property
    def fits_budget(self) -> bool:
        return self.left is None or self.total <= self.left


def make_offer(campaign: Campaign, terms: Terms, *, places: int, reward: Decimal) -> Offer:
    """Ask the crowd what these places cost, and collect everything that prevents a launch.

    Call it outside of transactions.
    """
    offer = Offer(
        campaign.crowd,
        adapters.crowd_label(campaign.crowd),
        "",
        terms,
        (),
        places,
        terms.tasks,
        (),
        reward,
        _bill(campaign, terms, places, reward),
        campaign.fee_rate,
        None,
        budget.left(campaign),
        gold_share=campaign.gold_share,
    )
    if not adapters.publishes(campaign.crowd):
        return replace(offer, problems=(ListingProblem("crowd", _BY_LINK),))
    found = list(of_numbers(campaign, terms, places, reward))
    try:
        crowd = adapters.marketplace(campaign.crowd)
        completed = _completed(terms, crowd, campaign)
        offer = replace(offer, environment=crowd.environment, terms=completed)
        found += without_effect(terms, crowd)
        if not found:
            offer = _priced(offer, crowd, promise_queries.offered(campaign))
            found += [*crowd.validate(_sample(offer)), *of_times(offer.terms, crowd)]
            found += _of_fee(offer)
    except CrowdError as error:
        found.append(ListingProblem(_FIELDS.get(type(error), "launch"), error.message))
    return replace(offer, problems=(*found, *local(campaign, offer), *_of_balance(offer)))


_FIELDS: dict[type[CrowdError], str] = {Configuration: "credentials"}
_BY_LINK = (
    "This campaign’s people come by link: no crowd publishes or pays for it. "
    "Send them the invitation link."
)


def local(campaign: Campaign, offer: Offer) -> Iterator[ListingProblem]:
    """Yield the problems found in our own rows. A launch checks them again under the lock."""
    earlier = Batch.objects.filter(campaign=campaign).exclude(environment=offer.environment)
    if offer.environment and (other := earlier.first()):
        yield ListingProblem(
            "environment",
            f"This campaign’s batches are on {offer.label} “{other.environment}”, but the settings "
            f"now name “{offer.environment}”. Set them back, or make another campaign.",
        )
    yield from against(
        campaign, places=offer.places, tasks=offer.tasks, total=offer.total, currency=offer.currency
    )


def sizes(places: int, most: int | None) -> tuple[int, ...]:
    """Divide places into postings of nearly equal size, each of at most `most` places."""
    if places < 1:
        return ()
    n = 1 if most is None else -(-places // most)
    small, larger = divmod(places, n)
    return (small + 1,) * larger + (small,) * (n - larger)


def _bill(campaign: Campaign, terms: Terms, places: int, reward: Decimal) -> Bill:
    return prices.of_units(
        budget.tariff(campaign),
        reward=reward,
        units=max(0, places),
        tasks=terms.tasks,
        bonus=promise_queries.offered(campaign),
    )


def _priced(offer: Offer, crowd: Marketplace, bonus: Decimal) -> Offer:
    """Ask the crowd for its price and the balance of the account."""
    split = sizes(offer.places, crowd.can.places_at_most)
    said = Cost(ZERO, ZERO)
    for size, n in Counter(split).items():
        said = _plus(said, crowd.estimate_cost(offer.reward, size), n)
    if bonus:
        said = _plus(said, crowd.bonus_cost(bonus), offer.places)
    return replace(
        offer,
        sizes=split,
        said=said,
        fee_told=_told(offer, crowd, said),
        balance=crowd.balance(),
        grows=crowd.can.places_at_most is None,
        currency=crowd.currency(),
    )


def _told(offer: Offer, crowd: Marketplace, said: Cost) -> Decimal | None:
    if said.note or said.total == offer.total:
        return None
    sample = crowd.estimate_cost(SAMPLE, 1)
    told = settling.share_told(said, sample, offer.bill, crowd=offer.crowd)
    return None if told == offer.fee_rate else told


def _plus(cost: Cost, other: Cost, n: int) -> Cost:
    note = cost.note or other.note
    return Cost(cost.rewards + n * other.rewards, cost.fees + n * other.fees, note)


def _of_fee(offer: Offer) -> Iterator[ListingProblem]:
    """Yield the problem that the crowd charges more than the campaign calculates with."""
    told = "" if offer.fee_told is None else settling.percent(offer.fee_told)
    said = settling.too_low(
        offer.label,
        offer.said,
        offer.bill,
        share=offer.fee_rate,
        told=told,
        currency=offer.currency,
    )
    if said:
        yield ListingProblem("fee", said)


def _completed(terms: Terms, crowd: Marketplace, campaign: Campaign) -> Terms:
    """Say what has to be said beforehand, and set the time after which the crowd approves."""
    terms = replace(terms, description=told_in_posting(terms.description, campaign))
    if terms.auto_approval is not None or "auto_approval" in crowd.can.no_effect:
        return terms
    return replace(terms, auto_approval=USUAL_AUTO_APPROVAL)


def _sample(offer: Offer) -> Spec:
    """Return the largest posting as it would be published, under an invented address."""
    return offer.terms.spec(
        reward=offer.reward,
        places=max(offer.sizes),
        code=postings.code(),
        url=postings.address(offer.crowd, new_public_id()),
    )


def _of_balance(offer: Offer) -> Iterator[ListingProblem]:
    if offer.balance is not None and offer.balance < offer.total:
        yield ListingProblem(
            "balance",
            f"This may cost {offer.money(offer.total)}, but the account at {offer.label} "
            f"holds {offer.money(offer.balance)}. Top it up, or take fewer places.",
        )


# Batches: offered, launched, extended and stopped on a crowd.
#
# Each function writes rows in one transaction under the campaign's lock. The outbox makes the
# calls.


LONGEST_KEY = 60


def offer(campaign_id: int, terms: Terms, *, places: int) -> Offer:
    """Return what a launch would cost and what prevents it; no row is written."""
    campaign = _campaign(campaign_id)
    return make_offer(campaign, terms, places=places, reward=campaign.reward * terms.tasks)


def offer_more(batch_id: int, *, places: int) -> Offer:
    """Return what more places of a batch would cost and what prevents them."""
    batch = _batch(batch_id)
    found = make_offer(batch.campaign, from_json(batch.terms), places=places, reward=batch.reward)
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
        _refuse(tuple(local(campaign, shown)))
        campaign.currency = shown.currency
        campaign.save(update_fields=["currency"])
        batch = Batch.objects.create(
            campaign=campaign,
            crowd=shown.crowd,
            environment=shown.environment,
            terms=to_json(people.applied(shown.terms, campaign)),
            reward=shown.reward,
            tasks=shown.tasks,
            places=places,
            key=key,
            created_by_id=actor_id,
            created_at=timezone.now(),
        )
        for n, size in enumerate(shown.sizes):
            postings.plan(batch, size, key=f"publish:{batch.pk}:{n}")
        people.sync(campaign_id)
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
        _refuse((*local(campaign, shown), *_of_batch(batch)))
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
