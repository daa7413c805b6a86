"""The requester's costs: the fees that Amazon publishes."""

from decimal import ROUND_HALF_UP, Decimal

FEE = Decimal("0.20")
FEE_OF_MANY = Decimal("0.40")  # of the reward, for HITs with ten or more places
MANY = 10
LEAST_FEE = Decimal("0.01")
CENT = Decimal("0.01")


def of_reward(reward: Decimal, places: int) -> Decimal:
    """Return the cost of approving one assignment, with the fee."""
    return reward + fee(reward, FEE_OF_MANY if places >= MANY else FEE)


def of_bonus(amount: Decimal) -> Decimal:
    return amount + fee(amount, FEE)


def fee(amount: Decimal, rate: Decimal) -> Decimal:
    return max((amount * rate).quantize(CENT, rounding=ROUND_HALF_UP), LEAST_FEE)
