"""The meaning of an estimate's weights, and the mean under other weights."""

from collections.abc import Mapping
from typing import Any

from annotate.text.figures import number
from estimation.core import relative_share

# The two people that the sentence compares, by their judgments.
MUCH, LITTLE = 25, 5
KEPT = "The campaign opened before balanced weights and keeps its estimator."


def sentence(detail: Mapping[str, Any]) -> str:
    """Return what one person's share of an estimate is; "" where its row does not say.

    detail: of a stored estimate (`estimation.services.history`).
    """
    if "balance" not in detail:
        return ""
    balance = detail["balance"]
    if balance is None:
        if detail.get("person_share"):
            return "People are weighted by work."
        return f"People are weighted by work. {KEPT}"
    if balance == 0:
        return "Items weigh equally, so people are weighted by work."
    times = relative_share(MUCH, LITTLE, balance=balance)
    return (
        f"One person’s weight grows more slowly than their work: {MUCH} judgments count "
        f"{number(times, 1)} times as much as {LITTLE}."
    )


def other_mean(detail: Mapping[str, Any]) -> str:
    """Return the mean under the other weights, such as `weighted by work: 0.29`; "" if unknown."""
    if detail.get("balance"):
        name, words = "work_weighted_mean", "weighted by work"
    else:
        name, words = "equal_annotator_mean", "people counted equally"
    value = detail.get(name)
    return "" if value is None else f"{words}: {number(value)}"
