"""Compares the fee that a crowd charges with the fee that a campaign calculates with.

Plain values: a crowd may know its account's own fee (Prolific does), a campaign reckons with one
share of what people are paid.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from annotate.crowds import bills, tariffs
from annotate.crowds.base import Cost
from annotate.crowds.bills import Bill
from annotate.text.figures import money

FINEST = Decimal("0.0001")


def too_low(
    label: str, said: Cost | None, bill: Bill, *, share: Decimal, told: str, currency: str
) -> str:
    """Say why nothing can be launched: the crowd charges more than is reckoned; "" if it does not.

    told: the fee that it charges, in words. One that does not answer is no obstacle (`note`).
    """
    if said is None or said.note or said.total <= bill.total:
        return ""
    return (
        f"{label} says that this costs {money(said.total, currency)}. With this campaign’s fee of "
        f"{percent(share)} it would be {money(bill.total, currency)}: the budget would not hold. "
        f"Let the campaign reckon with {told or 'a higher fee'}."
    )


def note(label: str, said: Cost | None, bill: Bill, *, share: Decimal, currency: str) -> str:
    """Say what the crowd itself says, where that is less or is not known; "" where both agree."""
    if said is None or (not said.note and said.total >= bill.total):
        return ""
    fee = f"the campaign’s fee of {percent(share)}, rounded for each payment"
    if said.note:
        return f"{label} did not say what it charges. The total above rests on {fee}."
    return (
        f"{label} says that it charges {money(said.total, currency)} in all. The total above, the "
        f"budget and the ledger rest on {fee}."
    )


def share_told(said: Cost, sample: Cost, bill: Bill, *, crowd: str) -> Decimal | None:
    """Return the share with which a campaign reckons what the crowd says; None where none does.

    sample: what the crowd says of a large amount, in which cents are no matter.
    """
    if sample.note or not sample.rewards or not bill.units:
        return None
    exact = sample.fees / sample.rewards
    for rounding in (ROUND_FLOOR, ROUND_CEILING):
        share = exact.quantize(FINEST, rounding)
        if _total(crowd, share, bill) >= said.total:
            return share
    return None


def percent(share: Decimal) -> str:
    return f"{(100 * share).normalize():f} %"


def _total(crowd: str, share: Decimal, bill: Bill) -> Decimal:
    again = bills.of_units(
        tariffs.of(crowd, share),
        reward=bill.work.reward / bill.units,
        units=bill.units,
        tasks=bill.tasks,
        bonus=bill.bonuses.reward / bill.units,
    )
    return again.total
