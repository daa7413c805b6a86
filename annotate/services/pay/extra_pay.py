"""Pay that a researcher gives by hand: a bonus or a compensation."""

from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction

from annotate.crowds.tariffs import CENT
from annotate.errors import Conflict, Invalid, NotFound
from annotate.models import Campaign, LedgerEntry, Participation
from annotate.selectors.pay import budget
from annotate.services import audit, locks, totals
from annotate.services.pay import settling
from annotate.text.figures import money

Kind = LedgerEntry.Kind
KINDS = (Kind.BONUS, Kind.COMPENSATION)
LARGEST = Decimal(1000)  # limits the cost of a typing mistake
LONGEST = 500
LONGEST_KEY = 40


@dataclass(frozen=True)
class Gift:
    """Who is given what, and why. The annotator reads the reason.

    key: names this gift, so that a repeated request pays nothing more.
    """

    kind: Kind
    pseudonym: str
    amount: Decimal
    reason: str
    key: str


@dataclass(frozen=True)
class Given:
    """The result: `already` is true where this key had paid before."""

    entry: int
    amount: Decimal
    fee: Decimal
    beyond_budget: Decimal
    already: bool


def give(campaign_id: int, gift: Gift, *, actor_id: int, beyond_budget: bool = False) -> Given:
    """Add the gift to the ledger, once for each key.

    Raises `Invalid` for an impossible amount or reason, `NotFound` for a person who is not in the
    campaign, and `Conflict` where the key was used for another gift, or where the gift exceeds the
    budget and `beyond_budget` is not set.
    """
    _check(gift)
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        participation = _to(campaign, gift.pseudonym)
        if given := LedgerEntry.objects.filter(key=_key(campaign, gift)).first():
            return _again(given, participation, gift)
        each, before = budget.tariff(campaign).bonus(gift.amount), budget.excess(campaign)
        entry = LedgerEntry.objects.create(
            campaign=campaign,
            participation=participation,
            kind=gift.kind,
            amount=each.reward,
            fee=each.fee,
            key=_key(campaign, gift),
            reason=gift.reason.strip(),
        )
        totals.spend(entry)
        excess = budget.ask(campaign, before=before, beyond_budget=beyond_budget)
        audit.record(
            gift.kind.value,
            campaign_id=campaign.pk,
            actor_id=actor_id,
            subject=f"annotator:{participation.annotator_id}",
            reason=gift.reason.strip(),
            amount=str(each.reward),
            fee=str(each.fee),
            beyond_budget=str(excess),
        )
        settling.settle_person(campaign.pk, participation.annotator_id)  # paid as a bonus there
    return Given(entry.pk, each.reward, each.fee, excess, already=False)


def _check(gift: Gift) -> None:
    errors = {}
    amount, reason = gift.amount, gift.reason.strip()
    if gift.kind not in KINDS:
        errors["kind"] = "Give a bonus or a compensation."
    if not amount.is_finite() or not 0 < amount <= LARGEST or amount != round(amount, 2):
        errors["amount"] = f"Give an amount from {money(CENT)} to {money(LARGEST)}, in whole cents."
    if not 1 <= len(reason) <= LONGEST or "\0" in reason:
        errors["reason"] = f"Say what it is for, in at most {LONGEST} characters."
    if not 1 <= len(gift.key) <= LONGEST_KEY or "\0" in gift.key:
        errors["key"] = f"A key has 1 to {LONGEST_KEY} characters."
    if errors:
        raise Invalid(errors)


def _to(campaign: Campaign, pseudonym: str) -> Participation:
    mine = Participation.objects.filter(campaign=campaign, annotator__pseudonym=pseudonym)
    found = mine.order_by("-pk").first()
    if found is None:
        raise NotFound("No annotator with this pseudonym has entered the campaign.")
    return found


def _key(campaign: Campaign, gift: Gift) -> str:
    return f"by-hand:{campaign.pk}:{gift.key}"


def _again(before: LedgerEntry, participation: Participation, gift: Gift) -> Given:
    same = (before.participation_id, before.kind, before.amount) == (
        participation.pk,
        gift.kind,
        gift.amount,
    )
    if not same:
        raise Conflict("This key has been used for another payment. Nothing was given.")
    return Given(before.pk, before.amount, before.fee, Decimal(0), already=True)
