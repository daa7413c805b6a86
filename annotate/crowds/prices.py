"""The cost of payments. Every fee is computed here, from plain numbers.

A crowd charges for each payment separately: for an approved unit, and for each bonus.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
ZERO = Decimal("0.00")


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
        return self._payment(reward)

    def bonus(self, amount: Decimal) -> Price:
        """Return the cost of a bonus of this amount."""
        return self._payment(amount)

    def part(self, amount: Decimal, *, after: Decimal = ZERO) -> Price:
        """Return the cost of this amount of a unit, after `after` has been earned in it.

        The parts of a unit add up to the cost of the unit, however it is divided.
        """
        if not self.whole_units:
            return self.unit(amount)
        return self.unit(after + amount) - self.unit(after)

    def _payment(self, amount: Decimal) -> Price:
        if not amount or not self.share:
            return Price(amount, ZERO)
        fee = (amount * self.share).quantize(CENT, self.rounding)
        return Price(amount, max(self.least, fee))
