"""The highest cost of work, in its parts: one computation for all pages, commands and answers."""

from dataclasses import dataclass
from decimal import Decimal

from annotate.crowds.prices import NOTHING, Price, Tariff


@dataclass(frozen=True)
class Bill:
    """The highest cost of a number of submissions, with the crowd's fees.

    work: the rewards.
    bonuses: of the tutorial, if a new person takes each unit. By link, each judgment is a unit.
    """

    units: int
    tasks: int  # per unit
    work: Price = NOTHING
    bonuses: Price = NOTHING

    @property
    def rewards(self) -> Decimal:
        return self.work.reward

    @property
    def fees(self) -> Decimal:
        """Return the crowd's fees on rewards and bonuses."""
        return self.work.fee + self.bonuses.fee

    @property
    def total(self) -> Decimal:
        return (self.work + self.bonuses).total

    @property
    def each(self) -> Decimal:
        """Return the cost of one judgment without bonuses; it may be a fraction of a cent."""
        n = self.units * self.tasks
        return self.work.total / n if n else self.work.total


def of_units(tariff: Tariff, *, reward: Decimal, units: int, tasks: int, bonus: Decimal) -> Bill:
    """Return the bill for units with this `reward` each."""
    return Bill(units, tasks, tariff.unit(reward) * units, tariff.bonus(bonus) * units)


def of_judgments(
    tariff: Tariff, *, reward: Decimal, judgments: int, tasks: int, bonus: Decimal
) -> Bill:
    """Return the bill for judgments with this `reward` each, in units of `tasks`.

    A unit is paid as a whole, so the last one costs as much even if it holds fewer tasks.
    """
    tasks = tasks if tariff.whole_units else 1
    units = -(-judgments // tasks)
    return of_units(tariff, reward=reward * tasks, units=units, tasks=tasks, bonus=bonus)
