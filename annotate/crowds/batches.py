"""Batches: offered, launched, extended and stopped on a crowd.

Each function writes rows in one transaction under the campaign's lock. The outbox makes the calls.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

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
from annotate.crowds.prices import FINEST, NOTHING, Bill, Price, percent
from annotate.models import Batch, Campaign, Operation, Posting
from annotate.models.base import new_public_id
from annotate.pay import budget, promise_queries
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


@dataclass
class Offer:
    """What is shown before a launch.

    terms: as they will be stored, without terms that have no effect there.
    reward: for one unit.
    bill: the highest cost by the campaign's own fee.
    left: the rest of the campaign's budget after the possible cost of earlier batches; None without
        a budget.
    sizes: the places of each posting; () where something prevents the crowd from being asked.
    balance: at the crowd; None if unknown.
    fee_told: the fee that the crowd charges, where the campaign calculates with another one.
    note: what the crowd says of the cost where it differs, and which currency applies.
    grows: a posting can be given more places, whatever their number.
    currency: of the account there, and so of all these amounts.
    """

    campaign: Campaign
    terms: Terms
    places: int
    reward: Decimal
    bill: Bill
    left: Decimal | None
    problems: list[ListingProblem] = field(default_factory=list)
    environment: str = ""
    sizes: tuple[int, ...] = ()
    balance: Decimal | None = None
    fee_told: Decimal | None = None
    note: str = ""
    grows: bool = False
    currency: str = DOLLARS

    @property
    def label(self) -> str:
        return adapters.crowd_label(self.campaign.crowd)

    @property
    def total(self) -> Decimal:
        """Return the highest possible cost, which the user confirms."""
        return self.bill.total

    def money(self, amount: Decimal | None) -> str:
        """Return an amount in the currency of the account; "" for None."""
        return money_text(amount, self.currency)

    @property
    def judgments(self) -> int:
        """Return how many of all tasks bring a judgment; with gold, about so many."""
        return budget.judgments_of(self.places * self.terms.tasks, self.campaign.gold_share)

    @property
    def gold(self) -> int:
        """Return about how many of all tasks are gold items."""
        return self.places * self.terms.tasks - self.judgments

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
    bill = prices.of_units(
        budget.tariff(campaign),
        reward=reward,
        units=max(0, places),
        tasks=terms.tasks,
        bonus=promise_queries.offered(campaign),
    )
    offer = Offer(campaign, terms, places, reward, bill, budget.left(campaign))
    if not adapters.publishes(campaign.crowd):
        offer.problems.append(ListingProblem("crowd", _BY_LINK))
        return offer
    found = list(of_numbers(campaign, terms, places, reward))
    try:
        crowd = adapters.marketplace(campaign.crowd)
        completed = _completed(terms, crowd, campaign)
        offer.environment, offer.terms = crowd.environment, completed
        found += without_effect(terms, crowd)
        if not found:
            too_low = _ask_price(offer, crowd)
            found += [*crowd.validate(_sample(offer)), *of_times(offer.terms, crowd), *too_low]
    except CrowdError as error:
        what = "credentials" if type(error) is Configuration else "launch"
        found.append(ListingProblem(what, error.message))
    found += local(campaign, offer)
    if offer.balance is not None and offer.balance < offer.total:
        found.append(
            ListingProblem(
                "balance",
                f"This may cost {offer.money(offer.total)}, but the account at {offer.label} "
                f"holds {offer.money(offer.balance)}. Top it up, or take fewer places.",
            )
        )
    offer.problems = found
    return offer


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
        campaign,
        places=offer.places,
        tasks=offer.terms.tasks,
        total=offer.total,
        currency=offer.currency,
    )


def sizes(places: int, most: int | None) -> tuple[int, ...]:
    """Divide places into postings of nearly equal size, each of at most `most` places."""
    if places < 1:
        return ()
    n = 1 if most is None else -(-places // most)
    small, larger = divmod(places, n)
    return (small + 1,) * larger + (small,) * (n - larger)


def _ask_price(offer: Offer, crowd: Marketplace) -> list[ListingProblem]:
    """Ask the crowd for its price and the balance of the account.

    Returns the problem that the crowd charges more than the campaign calculates with, if it does.
    """
    campaign, bonus = offer.campaign, promise_queries.offered(offer.campaign)
    split = sizes(offer.places, crowd.can.places_at_most)
    costs = [(crowd.estimate_cost(offer.reward, size), n) for size, n in Counter(split).items()]
    if bonus:
        costs.append((crowd.bonus_cost(bonus), offer.places))
    said, answered = NOTHING, True
    for cost, n in costs:
        if cost is None:
            answered = False
        else:
            said += cost * n
    fee_told = None
    if answered and said.total != offer.total:
        sample = crowd.estimate_cost(SAMPLE, 1)
        fee_told = share_told(said.total, sample, offer.bill, crowd=campaign.crowd)
    offer.balance, offer.currency = crowd.balance(), crowd.currency()
    offer.sizes, offer.grows = split, crowd.can.places_at_most is None
    offer.fee_told = None if fee_told == campaign.fee_rate else fee_told
    told, ours = f"{offer.label} says that", percent(campaign.fee_rate)
    notes, problems = [], []
    if not answered:
        notes.append(
            f"{offer.label} did not say what it charges. The total above rests on the campaign’s "
            f"fee of {ours}, rounded for each payment."
        )
    elif said.total < offer.total:
        notes.append(
            f"{told} it charges {offer.money(said.total)} in all. The total above, the budget and "
            f"the ledger rest on the campaign’s fee of {ours}, rounded for each payment."
        )
    elif said.total > offer.total:
        higher = "a higher fee" if offer.fee_told is None else percent(offer.fee_told)
        problem = (
            f"{told} this costs {offer.money(said.total)}. With this campaign’s fee of {ours} it "
            f"would be {offer.money(offer.total)}: the budget would not hold. Let the campaign "
            f"calculate with {higher}."
        )
        problems.append(ListingProblem("fee", problem))
    if offer.currency != DOLLARS:
        notes.append(
            f"The account at {offer.label} is in {offer.currency}. Once this is launched, all "
            f"pages of this campaign use it, for annotators too."
        )
    offer.note = " ".join(notes)
    return problems


def share_told(said: Decimal, sample: Price | None, bill: Bill, *, crowd: str) -> Decimal | None:
    """Return the fee as a share that explains what the crowd says; None where no share does.

    sample: the crowd's cost of a large amount, for which rounding to cents is negligible.
    """
    if sample is None or not sample.reward or not bill.units:
        return None
    exact = sample.fee / sample.reward
    for rounding in (ROUND_FLOOR, ROUND_CEILING):
        share = exact.quantize(FINEST, rounding)
        again = prices.of_units(
            adapters.tariffs_of(crowd, share),
            reward=bill.work.reward / bill.units,
            units=bill.units,
            tasks=bill.tasks,
            bonus=bill.bonuses.reward / bill.units,
        )
        if again.total >= said:
            return share
    return None


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
        url=postings.address(offer.campaign.crowd, new_public_id()),
    )


LONGEST_KEY = 60


def offer(campaign_id: int, terms: Terms, *, places: int) -> Offer:
    """Return what a launch would cost and what prevents it; no row is written."""
    campaign = _campaign(campaign_id)
    return make_offer(campaign, terms, places=places, reward=campaign.reward * terms.tasks)


def offer_more(batch_id: int, *, places: int) -> Offer:
    """Return what more places of a batch would cost and what prevents them."""
    batch = _batch(batch_id)
    found = make_offer(batch.campaign, from_json(batch.terms), places=places, reward=batch.reward)
    found.problems += _of_batch(batch)
    return found


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
        _refuse(local(campaign, shown))
        campaign.currency = shown.currency
        campaign.save(update_fields=["currency"])
        batch = Batch.objects.create(
            campaign=campaign,
            crowd=campaign.crowd,
            environment=shown.environment,
            terms=to_json(people.applied(shown.terms, campaign)),
            reward=shown.reward,
            tasks=shown.terms.tasks,
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


def _refuse(problems: Iterable[ListingProblem]) -> None:
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
