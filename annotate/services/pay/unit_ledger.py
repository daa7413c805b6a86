"""The ledger of one paid unit of a marketplace: its rows follow the state of the unit.

Each function runs in the caller's transaction, which locks the campaign, and does nothing if the
ledger is already right.
"""

from decimal import Decimal

from annotate.crowds.tariffs import ZERO, Price, Tariff
from annotate.models import LedgerEntry, Participation, Payout
from annotate.selectors.pay import budget
from annotate.services import totals
from annotate.services.pay.unit_pay import UnitAccount, UnitEntry, account, of_unit

Kind = LedgerEntry.Kind


def reward_of(participation: Participation) -> Decimal:
    """Return what the crowd pays for this unit."""
    assert participation.posting is not None, "only units of a marketplace are paid by it"
    return participation.posting.batch.reward


def account_of(participation: Participation) -> UnitAccount:
    return account(entries(participation.pk), reward=reward_of(participation))


def entries(participation_id: int) -> list[UnitEntry]:
    rows = LedgerEntry.objects.filter(participation=participation_id).order_by("pk")
    return [
        UnitEntry(pk, Kind(kind), amount, fee, assignment is not None)
        for pk, kind, amount, fee, assignment in rows.values_list(
            "pk", "kind", "amount", "fee", "assignment"
        )
    ]


def standing(participation: Participation) -> Decimal:
    """Return what working in the unit has earned, without lapsed amounts."""
    rows = entries(participation.pk)
    return sum((one.amount for one in rows if of_unit(one) or one.kind == Kind.LAPSE), ZERO)


def price(participation: Participation, amount: Decimal) -> Price:
    """Return the cost of adding this amount to what the unit has earned.

    The fees of the part that the reward covers add up to what the crowd charges for it. The rest is
    a bonus. The caller locks the participation or its campaign.
    """
    charges, found = _tariff(participation), account_of(participation)
    covered = sum((one.amount for one in found.covered), ZERO)
    if covered + amount > reward_of(participation):
        return charges.bonus(amount)
    return Price(amount, charges.unit(covered + amount).fee - found.fees)


def lapse(participation: Participation) -> Decimal:
    """Cancel what was earned in a unit that was not submitted; return the amount."""
    rows = entries(participation.pk)
    if _sum(rows, Kind.REFUSAL, Kind.REINSTATEMENT):
        return ZERO  # cancelled already, by a ruling
    lost = [one for one in rows if of_unit(one) or one.kind == Kind.LAPSE]
    return _cancel(participation, lost, kind=Kind.LAPSE, why="lapse")


def unlapse(participation: Participation) -> Decimal:
    """Restore what had lapsed, because the unit was submitted after all; return the amount."""
    lost = [one for one in entries(participation.pk) if one.kind == Kind.LAPSE]
    return -_cancel(participation, lost, kind=Kind.LAPSE, why="unlapse")


def square_with_approval(participation: Participation) -> None:
    """Record the whole unit as paid: the crowd has approved it, against our records if need be."""
    rows = entries(participation.pk)
    refused = [one for one in rows if one.kind in (Kind.REFUSAL, Kind.REINSTATEMENT)]
    _cancel(
        participation,
        refused,
        kind=Kind.REINSTATEMENT,
        why="approved",
        reason="The crowd has approved this work.",
    )
    unlapse(participation)
    fill(participation, reason="The crowd pays whole units.")
    charged = _tariff(participation).unit(reward_of(participation)).fee
    _correct(participation, Kind.REMAINDER, charged - account_of(participation).fees)


def fill(participation: Participation, *, reason: str) -> Decimal:
    """Add what is missing to the whole reward of the unit; return the amount."""
    missing = reward_of(participation) - account_of(participation).earned
    if missing <= 0:
        return ZERO
    each = price(participation, missing)
    _add(participation, Kind.REMAINDER, each.reward, each.fee, why="rest", reason=reason)
    return each.reward


def square_with_bonus(participation: Participation, entry_id: int, amount: Decimal) -> None:
    """Record what the crowd charged for this bonus, and correct the unit's other fees."""
    charges, found = _tariff(participation), account_of(participation)
    extra = next((one for one in found.extra if one.id == entry_id), None)
    if extra is not None:
        _correct(participation, Kind.BONUS, charges.bonus(amount).fee - extra.fee)
        return
    covered = [one.id for one in found.covered]
    paid = Payout.objects.filter(entry__in=covered).values_list("amount", flat=True)
    if sum(paid, ZERO) == found.earned:
        charged = sum((charges.bonus(each).fee for each in paid), ZERO)
        _correct(participation, Kind.REMAINDER, charged - found.fees)


def bonus_key(entry_id: int) -> str:
    """Return the key of the pay-out of the bonus for this ledger row."""
    return f"bonus:{entry_id}"


def square_with_rejection(participation: Participation, *, reason: str) -> None:
    """Record that the unit is not paid, where no ruling here has refused it."""
    found = account_of(participation)
    if found.earned:
        _cancel(
            participation, list(found.covered), kind=Kind.REFUSAL, why="rejected", reason=reason
        )


def _correct(participation: Participation, kind: Kind, fee: Decimal) -> None:
    """Add the missing part of a fee as a separate row: version 0.1 calculated fees differently."""
    if fee:
        _add(participation, kind, ZERO, fee, why="fee", reason="What the crowd has charged.")


def _tariff(participation: Participation) -> Tariff:
    return budget.tariff(participation.campaign)


def _cancel(
    participation: Participation, rows: list[UnitEntry], *, kind: Kind, why: str, reason: str = ""
) -> Decimal:
    amount = sum((one.amount for one in rows), ZERO)
    fee = sum((one.fee for one in rows), ZERO)
    if amount or fee:
        _add(participation, kind, -amount, -fee, why=why, reason=reason)
    return amount


def _add(
    participation: Participation,
    kind: Kind,
    amount: Decimal,
    fee: Decimal,
    *,
    why: str,
    reason: str = "",
) -> None:
    """Add a row, numbered by the rows before it: a unit may lapse, come back and lapse again."""
    n = LedgerEntry.objects.filter(participation=participation).count()
    entry = LedgerEntry.objects.create(
        campaign_id=participation.campaign_id,
        participation=participation,
        kind=kind,
        amount=amount,
        fee=fee,
        key=f"{why}:{participation.pk}:{n}",
        reason=reason,
    )
    totals.spend(entry)


def _sum(rows: list[UnitEntry], *kinds: Kind) -> Decimal:
    return sum((one.amount for one in rows if one.kind in kinds), ZERO)
