"""What paid units that are not decided have cost, and may still cost."""

from dataclasses import dataclass
from decimal import Decimal

from annotate.crowds.tariffs import ZERO, Tariff


@dataclass(frozen=True)
class UnitGroup:
    """Units of one posting in the same state.

    free: places that no decided unit has taken.
    covered: the part of the reward that is earned.
    cancelled: the part of `covered` that is cancelled now, as a negative amount; it is restored if
        the crowd pays the unit.
    owes: the unit may bring a tutorial bonus.
    """

    posting: int
    free: int | None  # None: these are decided
    reward: Decimal
    covered: Decimal
    cancelled: Decimal
    leases: int
    todo: int
    owes: bool
    n: int

    def rest(self, tariff: Tariff, task: Decimal) -> Decimal:
        """Return what one of them may still cost.

        A person who returned it and accepted it again may do more than its reward covers.
        """
        have = tariff.unit(min(self.covered, self.reward))
        rest = (tariff.unit(self.reward) - have).total - self.cancelled
        ahead = max(self.todo, self.leases) * task
        n = -(-max(ZERO, self.covered + ahead - self.reward) // task) if task else 0
        more = max(n * tariff.bonus(task).total, tariff.bonus(n * task).total)
        return max(ZERO, rest) + more

    def spent(self, tariff: Tariff) -> Decimal:
        """Return what one of them has in the ledger now."""
        return tariff.unit(min(self.covered, self.reward)).total + self.cancelled

    def leased(self, tariff: Tariff, task: Decimal) -> Decimal:
        """Return what the open leases of one of them cost."""
        have = min(self.covered, self.reward)
        then = min(have + self.leases * task, self.reward)
        return (tariff.unit(then) - tariff.unit(have)).total
