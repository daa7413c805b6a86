"""The most that work can cost, in its parts: one computation for every page, command and answer."""

from dataclasses import dataclass
from decimal import Decimal

from annotate.crowds.prices import NOTHING, Price, Tariff


@dataclass(frozen=True)
class Bill:
    """What a number of submissions costs at most. work: their rewards. bonuses: of the tutorial,
    should
    somebody new take each unit; by link each judgment is a unit. Both with the crowd's fee."""

    units: int
    tasks: int  # in each
    work: Price = NOTHING
    bonuses: Price = NOTHING

    @property
    def rewards(self) -> Decimal:
        return self.work.reward

    @property
    def fees(self) -> Decimal:
        """The crowd's, on rewards and bonuses."""
        return self.work.fee + self.bonuses.fee

    @property
    def total(self) -> Decimal:
        return (self.work + self.bonuses).total

    @property
    def each(self) -> Decimal:
        """What one judgment costs, without bonuses; perhaps a fraction of a cent."""
        n = self.units * self.tasks
        return self.work.total / n if n else self.work.total


def of_units(tariff: Tariff, *, reward: Decimal, units: int, tasks: int, bonus: Decimal) -> Bill:
    """Return the bill for units that are paid `reward` each."""
    return Bill(units, tasks, tariff.unit(reward) * units, tariff.bonus(bonus) * units)


def of_judgments(
    tariff: Tariff, *, reward: Decimal, judgments: int, tasks: int, bonus: Decimal
) -> Bill:
    """Return the bill for judgments that are paid `reward` each, in units of `tasks`.

    A unit is paid as a whole: the last one too, though it holds fewer.
    """
    tasks = tasks if tariff.whole_units else 1
    units = -(-judgments // tasks)
    return of_units(tariff, reward=reward * tasks, units=units, tasks=tasks, bonus=bonus)
