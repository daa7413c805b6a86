"""Compares the fee that a crowd charges with the fee that a campaign calculates with.

It works on plain values. A crowd may know its account's own fee, as Prolific does; a campaign
calculates with one share of what people are paid.
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
    """Return why a launch is refused, where the crowd charges more than calculated; "" otherwise.

    told: the fee that it charges, in words. A crowd that does not answer does not stop a launch
        (see `note`).
    """
    if said is None or said.note or said.total <= bill.total:
        return ""
    return (
        f"{label} says that this costs {money(said.total, currency)}. With this campaign’s fee of "
        f"{percent(share)} it would be {money(bill.total, currency)}: the budget would not hold. "
        f"Let the campaign calculate with {told or 'a higher fee'}."
    )


def note(label: str, said: Cost | None, bill: Bill, *, share: Decimal, currency: str) -> str:
    """Return the crowd's own figure, where it is lower or unknown; "" where both agree."""
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
    """Return the fee as a share that explains what the crowd says; None where no share does.

    sample: the crowd's cost of a large amount, for which rounding to cents is negligible.
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
