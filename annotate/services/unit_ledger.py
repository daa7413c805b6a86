"""The ledger of one paid unit of a marketplace: rows that follow what becomes of the unit.

Each verb is done in the caller's transaction, which holds the campaign, and does nothing where
nothing is to be done.
"""

from decimal import Decimal

from annotate.models import LedgerEntry, Participation
from annotate.services import payments
from annotate.services.unit_pay import Account, Entry, account, of_unit

Kind = LedgerEntry.Kind
ZERO = Decimal("0.00")


def reward_of(participation: Participation) -> Decimal:
    """Return what the crowd pays for this unit."""
    assert participation.posting is not None, "only units of a marketplace are paid by it"
    return participation.posting.batch.reward


def account_of(participation: Participation) -> Account:
    return account(entries(participation.pk), reward=reward_of(participation))


def entries(participation_id: int) -> list[Entry]:
    rows = LedgerEntry.objects.filter(participation=participation_id).order_by("pk")
    return [
        Entry(pk, Kind(kind), amount, fee, assignment is not None)
        for pk, kind, amount, fee, assignment in rows.values_list(
            "pk", "kind", "amount", "fee", "assignment"
        )
    ]


def lapse(participation: Participation) -> Decimal:
    """Cancel what was earned in a unit that was not handed in; return the amount."""
    rows = entries(participation.pk)
    if _sum(rows, Kind.REFUSAL, Kind.REINSTATEMENT):
        return ZERO  # cancelled already, by a ruling
    lost = [one for one in rows if of_unit(one) or one.kind == Kind.LAPSE]
    return _cancel(participation, lost, kind=Kind.LAPSE, why="lapse")


def unlapse(participation: Participation) -> Decimal:
    """Bring that back: the unit was handed in after all."""
    lost = [one for one in entries(participation.pk) if one.kind == Kind.LAPSE]
    return -_cancel(participation, lost, kind=Kind.LAPSE, why="unlapse")


def square_with_approval(participation: Participation) -> None:
    """Make the ledger say that the whole unit is paid: the crowd pays it, whatever we thought."""
    rows = entries(participation.pk)
    refused = [one for one in rows if one.kind in (Kind.REFUSAL, Kind.REINSTATEMENT)]
    _cancel(participation, refused, kind=Kind.REINSTATEMENT, why="approved",
            reason="The crowd has approved this work.")  # fmt: skip
    unlapse(participation)
    missing = reward_of(participation) - account_of(participation).earned
    if missing > 0:
        price = payments.with_fee(missing, participation.campaign)
        _add(participation, Kind.REMAINDER, price.reward, price.fee, why="rest",
             reason="The crowd pays whole units.")  # fmt: skip


def square_with_rejection(participation: Participation, *, reason: str) -> None:
    """Make the ledger say that the unit is not paid, where no ruling here has said so."""
    found = account_of(participation)
    if found.earned:
        _cancel(participation, list(found.covered), kind=Kind.REFUSAL, why="rejected",
                reason=reason)  # fmt: skip


def _cancel(
    participation: Participation, rows: list[Entry], *, kind: Kind, why: str, reason: str = ""
) -> Decimal:
    amount = sum((one.amount for one in rows), ZERO)
    fee = sum((one.fee for one in rows), ZERO)
    if amount or fee:
        _add(participation, kind, -amount, -fee, why=why, reason=reason)
    return amount


def _add(
    participation: Participation, kind: Kind, amount: Decimal, fee: Decimal, *, why: str,
    reason: str = "",
) -> None:  # fmt: skip
    """Numbered: a unit may lapse, come back, and lapse again."""
    mine = LedgerEntry.objects.filter(participation=participation)
    n = mine.filter(key__startswith=f"{why}:{participation.pk}:").count()
    LedgerEntry.objects.create(
        campaign_id=participation.campaign_id, participation=participation, kind=kind,
        amount=amount, fee=fee, key=f"{why}:{participation.pk}:{n}", reason=reason,
    )  # fmt: skip


def _sum(rows: list[Entry], *kinds: Kind) -> Decimal:
    return sum((one.amount for one in rows if one.kind in kinds), ZERO)
