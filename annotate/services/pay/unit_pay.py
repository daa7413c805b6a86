"""Rules for the pay of one unit of a marketplace, without a database.

A crowd pays a whole unit or none of it. The unit's reward covers as much as fits of what its
participation has earned; the rest is extra and is paid as bonuses.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from annotate.models import LedgerEntry, Participation
from annotate.selectors.pay.accounts import GIVEN

Kind = LedgerEntry.Kind
Status = Participation.Status
ZERO = Decimal("0.00")

REFUSED = (Kind.REFUSAL, Kind.REINSTATEMENT)


class PayAct(StrEnum):
    NOTHING = "nothing"
    WAIT = "wait"  # until a time, or for a reviewer
    ASK = "ask"  # a person decides
    APPROVE = "approve"
    REJECT = "reject"
    OVERRIDE = "override"
    BONUS = "bonus"  # the crowd does not pay the unit any more; bonuses pay what is due


@dataclass(frozen=True)
class UnitFacts:
    """The state of a unit.

    refused: a ruling refuses its pay now.
    due: earned by its work and not paid.
    doubt: there is a discrepancy, or the unit holds too little work.
    override_until: None if this crowd cannot reverse a rejection, or no longer.
    """

    status: Status
    due: Decimal = ZERO
    refused: bool = False
    in_review: bool = False
    doubt: bool = False
    approve_from: datetime | None = None
    override_until: datetime | None = None


def decide(unit: UnitFacts, *, now: datetime) -> PayAct:
    """Return what to do at the crowd about this unit's pay."""
    if unit.status == Status.CONFIRMED:
        return _of_confirmed(unit, now)
    if unit.status == Status.REJECTED and unit.due > 0 and not unit.refused:
        in_time = unit.override_until is not None and now < unit.override_until
        return PayAct.OVERRIDE if in_time else PayAct.BONUS
    return PayAct.NOTHING


def _of_confirmed(unit: UnitFacts, now: datetime) -> PayAct:
    if unit.refused:
        return PayAct.REJECT
    if unit.in_review:
        return PayAct.WAIT
    if unit.doubt:
        return PayAct.ASK
    return PayAct.WAIT if unit.approve_from is None or now < unit.approve_from else PayAct.APPROVE


@dataclass(frozen=True)
class UnitEntry:
    """A row of the ledger of one participation."""

    id: int
    kind: Kind
    amount: Decimal
    fee: Decimal
    for_task: bool  # it belongs to an assignment


@dataclass(frozen=True)
class UnitAccount:
    """What one participation has earned, sorted by how it reaches the annotator.

    covered: what the unit's reward stands for.
    extra: what is paid as bonuses whatever becomes of the unit.
    refused, lapsed: what is cancelled now (0 or negative). `refused_at` is the last row that
        refused; rows after it are not refused.
    """

    covered: tuple[UnitEntry, ...]
    extra: tuple[UnitEntry, ...]
    refused: Decimal
    refused_at: int
    lapsed: Decimal

    @property
    def earned(self) -> Decimal:
        """Return what the unit's reward stands for now."""
        return _sum(one for one in self.covered if self._stands(one))

    @property
    def fees(self) -> Decimal:
        """Return the crowd's fees on what the unit's reward covers, cancelled or not."""
        return sum((one.fee for one in self.covered), ZERO)

    def bonuses(self, *, handed_in: bool) -> list[UnitEntry]:
        """Return the rows paid as bonuses whatever becomes of the unit.

        What was earned in the unit is among them only once the unit is submitted.
        """
        standing = [one for one in self.extra if one.amount > 0 and self._stands(one)]
        return [one for one in standing if handed_in or not of_unit(one)]

    def instead(self, *, paid: Collection[int], due: Decimal) -> list[UnitEntry]:
        """Return the one bonus that pays what is due for a unit that its crowd does not pay.

        It is one, because a crowd charges for each. It uses the first row for which no bonus was
        paid (`paid`).
        """
        mine = [one for one in self.covered if one.amount > 0 and one.id not in paid]
        return [replace(mine[0], amount=due)] if mine and due > 0 else []

    def _stands(self, one: UnitEntry) -> bool:
        refused = self.refused < 0 and of_work(one) and one.id < self.refused_at
        return not refused and not (self.lapsed < 0 and of_unit(one))


def of_work(entry: UnitEntry) -> bool:
    """Return whether refusing pay for the work cancels this row."""
    return entry.kind not in GIVEN


def of_unit(entry: UnitEntry) -> bool:
    """Return whether this row was earned by working in the unit, and so is lost with it."""
    return entry.for_task or entry.kind == Kind.REMAINDER


def account(entries: Iterable[UnitEntry], *, reward: Decimal) -> UnitAccount:
    """Sort what a participation has earned. `reward` is what the crowd pays for its unit."""
    rows = sorted(entries, key=lambda one: one.id)
    covered: list[UnitEntry] = []
    extra: list[UnitEntry] = []
    for one in rows:
        if one.kind in (*REFUSED, Kind.LAPSE):
            continue
        fits = of_unit(one) and _sum(covered) + one.amount <= reward
        (covered if fits else extra).append(one)
    refusals = [one for one in rows if one.kind in REFUSED]
    return UnitAccount(
        tuple(covered),
        tuple(extra),
        refused=_sum(refusals),
        refused_at=refusals[-1].id if refusals else 0,
        lapsed=_sum(one for one in rows if one.kind == Kind.LAPSE),
    )


def _sum(rows: Iterable[UnitEntry]) -> Decimal:
    return sum((one.amount for one in rows), ZERO)
