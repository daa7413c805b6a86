"""The cost of payments. Every fee is computed here, from plain numbers.

A crowd charges for each payment separately: for an approved unit, and for each bonus.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
FINEST = Decimal("0.0001")  # of a fee's share
ZERO = Decimal("0.00")


def percent(share: Decimal) -> str:
    return f"{(100 * share).normalize():f} %"


@dataclass(frozen=True)
class Price:
    """The cost of a payment: the person's amount, and the crowd's fee on it."""

    reward: Decimal = ZERO
    fee: Decimal = ZERO

    @property
    def total(self) -> Decimal:
        return self.reward + self.fee

    def __add__(self, other: "Price") -> "Price":
        return Price(self.reward + other.reward, self.fee + other.fee)

    def __sub__(self, other: "Price") -> "Price":
        return Price(self.reward - other.reward, self.fee - other.fee)

    def __mul__(self, n: int) -> "Price":
        return Price(self.reward * n, self.fee * n)


NOTHING = Price()


@dataclass(frozen=True)
class Tariff:
    """The fee of one payment: a share of it, rounded to the cent, and at least `least`.

    whole_units: people are paid for a unit as a whole; otherwise for each task. With a share of 0
        there is no fee.
    """

    share: Decimal
    least: Decimal = ZERO
    rounding: str = ROUND_HALF_UP
    whole_units: bool = True

    def unit(self, reward: Decimal) -> Price:
        """Return the cost of a unit with this reward."""
        if not reward or not self.share:
            return Price(reward, ZERO)
        fee = (reward * self.share).quantize(CENT, self.rounding)
        return Price(reward, max(self.least, fee))

    bonus = unit  # of this amount

    def part(self, amount: Decimal, *, after: Decimal = ZERO) -> Price:
        """Return the cost of this amount of a unit, after `after` has been earned in it.

        The parts of a unit add up to the cost of the unit, however it is divided.
        """
        if not self.whole_units:
            return self.unit(amount)
        return self.unit(after + amount) - self.unit(after)


MTURK_TARIFF = Tariff(Decimal("0.2"), least=CENT)


# The highest cost of work, in its parts: one computation for all pages, commands and answers.


@dataclass(frozen=True)
class Bill:
    """The highest cost of a number of submissions, with the crowd's fees.

    work: the rewards.
    bonuses: of the tutorial, if a new person takes each unit. By link, each judgment is a unit;
        named experts are no more than they are.
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


def of_units(
    tariff: Tariff,
    *,
    reward: Decimal,
    units: int,
    tasks: int,
    bonus: Decimal,
    people: int | None = None,
) -> Bill:
    """Return the bill for units with this `reward` each. people: how many come at most."""
    new = units if people is None else min(units, people)
    return Bill(units, tasks, tariff.unit(reward) * units, tariff.bonus(bonus) * new)


def of_judgments(
    tariff: Tariff,
    *,
    reward: Decimal,
    judgments: int,
    tasks: int,
    bonus: Decimal,
    people: int | None = None,
) -> Bill:
    """Return the bill for judgments with this `reward` each, in units of `tasks`.

    A unit is paid as a whole, so the last one costs as much even if it holds fewer tasks.
    people: how many come at most; None: not known.
    """
    tasks = tasks if tariff.whole_units else 1
    units = -(-judgments // tasks)
    reward *= tasks
    return of_units(tariff, reward=reward, units=units, tasks=tasks, bonus=bonus, people=people)
