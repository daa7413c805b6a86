"""What to do about the pay of one unit of a marketplace: rules without a database.

A crowd pays a whole unit or nothing of it. So of what its participation has earned, the unit's
reward covers as much as fits; everything else is extra and is paid as bonuses.
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
    WAIT = "wait"  # for time, or for a reviewer
    ASK = "ask"  # a person decides
    APPROVE = "approve"
    REJECT = "reject"
    OVERRIDE = "override"
    BONUS = "bonus"  # the crowd will not pay the unit any more: what is due goes as bonuses


@dataclass(frozen=True)
class UnitFacts:
    """Where a unit stands. `refused`: a ruling refuses its pay now; `due`: earned by its work
    and not paid; `doubt`: something about it does not agree, or it holds too little work;
    `override_until` None: this crowd cannot, or it is over."""

    status: Status
    due: Decimal = ZERO
    refused: bool = False
    in_review: bool = False
    doubt: bool = False
    approve_from: datetime | None = None
    override_until: datetime | None = None


def decide(unit: UnitFacts, *, now: datetime) -> PayAct:
    """Return what is to be done at the crowd about this unit's pay."""
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

    covered: what the unit's reward stands for. extra: what is paid as bonuses whatever becomes
    of the unit. refused, lapsed: what is cancelled now (0 or negative); `refused_at` is the last
    row that did it, so what was given after it is not meant.
    """

    covered: tuple[UnitEntry, ...]
    extra: tuple[UnitEntry, ...]
    refused: Decimal
    refused_at: int
    lapsed: Decimal

    @property
    def earned(self) -> Decimal:
        """What the unit's reward stands for now."""
        return _sum(one for one in self.covered if self._stands(one))

    @property
    def fees(self) -> Decimal:
        """The crowd's fees on what the unit's reward covers, whether it stands now or not."""
        return sum((one.fee for one in self.covered), ZERO)

    def bonuses(self, *, handed_in: bool) -> list[UnitEntry]:
        """Return what is to be paid as bonuses whatever becomes of the unit.

        What was earned in the unit only once it is handed in.
        """
        standing = [one for one in self.extra if one.amount > 0 and self._stands(one)]
        return [one for one in standing if handed_in or not of_unit(one)]

    def instead(self, *, paid: Collection[int], due: Decimal) -> list[UnitEntry]:
        """Return the one bonus that pays what is due of a unit that its crowd does not pay.

        One, because a crowd charges for each. It goes under the first row that none was paid
        under (`paid`).
        """
        mine = [one for one in self.covered if one.amount > 0 and one.id not in paid]
        return [replace(mine[0], amount=due)] if mine and due > 0 else []

    def _stands(self, one: UnitEntry) -> bool:
        refused = self.refused < 0 and of_work(one) and one.id < self.refused_at
        return not refused and not (self.lapsed < 0 and of_unit(one))


def of_work(entry: UnitEntry) -> bool:
    """Return whether refusing pay for the work takes this away."""
    return entry.kind not in GIVEN


def of_unit(entry: UnitEntry) -> bool:
    """Return whether this was earned by working in the unit: it is lost with the unit."""
    return entry.for_task or entry.kind == Kind.REMAINDER


def account(entries: Iterable[UnitEntry], *, reward: Decimal) -> UnitAccount:
    """Sort what a participation has earned; `reward` is what the crowd pays for its unit."""
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
