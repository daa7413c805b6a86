"""What a payment costs. Every fee is computed here, from plain numbers; nothing else computes one.

A crowd charges for each payment separately: for a unit that it approves, and for each bonus.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
ZERO = Decimal("0.00")


@dataclass(frozen=True)
class Price:
    """What a payment costs: what the person gets, and the crowd's fee on it."""

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

    whole_units: people are paid for a unit as a whole; otherwise for each task. A share of 0 is no
    fee at all.
    """

    share: Decimal
    least: Decimal = ZERO
    rounding: str = ROUND_HALF_UP
    whole_units: bool = True

    def unit(self, reward: Decimal) -> Price:
        """Return what a unit costs that is paid this much."""
        return self._payment(reward)

    def bonus(self, amount: Decimal) -> Price:
        """Return what a bonus of this amount costs."""
        return self._payment(amount)

    def part(self, amount: Decimal, *, after: Decimal = ZERO) -> Price:
        """Return what this amount of a unit costs, once `after` has been earned in it.

        The parts of a unit add up to what the unit costs, in whatever portions it is earned.
        """
        if not self.whole_units:
            return self.unit(amount)
        return self.unit(after + amount) - self.unit(after)

    def _payment(self, amount: Decimal) -> Price:
        if not amount or not self.share:
            return Price(amount, ZERO)
        fee = (amount * self.share).quantize(CENT, self.rounding)
        return Price(amount, max(self.least, fee))
