"""What work earns: rows of the ledger, each with the fee that the crowd charges for it."""

from decimal import Decimal

from annotate.crowds.tariffs import ZERO, Price
from annotate.models import Assignment, Campaign, LedgerEntry, Participation
from annotate.selectors.pay import budget
from annotate.services.pay import unit_ledger

Kind = LedgerEntry.Kind


def task(assignment: Assignment, *, campaign: Campaign, kind: Kind) -> None:
    """Add what this assignment has earned; a second row for it violates the unique key.

    The caller holds its participation where that is a paid unit of a marketplace: the fees of a
    unit's tasks depend on each other.
    """
    each = _price(assignment, campaign)
    LedgerEntry.objects.create(
        campaign=campaign,
        participation_id=assignment.participation_id,
        assignment=assignment,
        kind=kind,
        amount=each.reward,
        fee=each.fee,
        key=f"assignment:{assignment.pk}",
    )


def rest(who: Participation, *, campaign: Campaign, reward: Decimal) -> Decimal:
    """Add the rest of the announced pay of a unit; return the amount.

    Nothing where a ruling has refused its pay: what is refused is not topped up.
    """
    mine = LedgerEntry.objects.filter(participation=who)
    if mine.filter(kind=Kind.REFUSAL).exists():
        return ZERO
    missing = reward - unit_ledger.standing(who)
    if missing <= 0:
        return ZERO
    each = unit_ledger.price(who, missing)
    before = mine.filter(kind=Kind.REMAINDER).count()  # lapsed with it, and begun anew
    LedgerEntry.objects.create(
        campaign=campaign,
        participation=who,
        kind=Kind.REMAINDER,
        amount=each.reward,
        fee=each.fee,
        key=f"remainder:{who.pk}" + (f":{before}" if before else ""),
    )
    return each.reward


def _price(assignment: Assignment, campaign: Campaign) -> Price:
    who = assignment.participation
    if who.tasks is None:
        return budget.price(campaign)
    return unit_ledger.price(who, campaign.reward)
