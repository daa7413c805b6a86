"""The highest cost of a batch and the reasons against a launch, before money is spent."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from annotate import adapters
from annotate.crowds import bills
from annotate.crowds.base import Configuration, Cost, CrowdError, ListingProblem, Marketplace, Spec
from annotate.crowds.bills import Bill
from annotate.crowds.tariffs import ZERO
from annotate.crowds.terms import USUAL_AUTO_APPROVAL, Terms
from annotate.models import Batch, Campaign
from annotate.models.base import public_id
from annotate.selectors.pay import budget, promises
from annotate.services.marketplace import beforehand, postings
from annotate.services.marketplace.offer_problems import (
    against,
    of_numbers,
    of_times,
    without_effect,
)
from annotate.services.pay import quotes
from annotate.text.figures import DOLLARS, money

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
            quotes.note(
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
        return money(amount, self.currency)

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


def make(campaign: Campaign, terms: Terms, *, places: int, reward: Decimal) -> Offer:
    """Ask the crowd what these places cost, and collect everything that prevents a launch.

    Call it outside of transactions.
    """
    offer = Offer(
        campaign.crowd,
        adapters.label(campaign.crowd),
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
            offer = _priced(offer, crowd, promises.offered(campaign))
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
    return bills.of_units(
        budget.tariff(campaign),
        reward=reward,
        units=max(0, places),
        tasks=terms.tasks,
        bonus=promises.offered(campaign),
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
    told = quotes.share_told(said, sample, offer.bill, crowd=offer.crowd)
    return None if told == offer.fee_rate else told


def _plus(cost: Cost, other: Cost, n: int) -> Cost:
    note = cost.note or other.note
    return Cost(cost.rewards + n * other.rewards, cost.fees + n * other.fees, note)


def _of_fee(offer: Offer) -> Iterator[ListingProblem]:
    """Yield the problem that the crowd charges more than the campaign calculates with."""
    told = "" if offer.fee_told is None else quotes.percent(offer.fee_told)
    said = quotes.too_low(
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
    terms = replace(terms, description=beforehand.told(terms.description, campaign))
    if terms.auto_approval is not None or "auto_approval" in crowd.can.no_effect:
        return terms
    return replace(terms, auto_approval=USUAL_AUTO_APPROVAL)


def _sample(offer: Offer) -> Spec:
    """Return the largest posting as it would be published, under an invented address."""
    return offer.terms.spec(
        reward=offer.reward,
        places=max(offer.sizes),
        code=postings.code(),
        url=postings.address(offer.crowd, public_id()),
    )


def _of_balance(offer: Offer) -> Iterator[ListingProblem]:
    if offer.balance is not None and offer.balance < offer.total:
        yield ListingProblem(
            "balance",
            f"This may cost {offer.money(offer.total)}, but the account at {offer.label} "
            f"holds {offer.money(offer.balance)}. Top it up, or take fewer places.",
        )
