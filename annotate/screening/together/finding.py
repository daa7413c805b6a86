"""Several signs: little evidence of each of several screens, which adds up."""

from collections.abc import Sequence

import numpy as np

from annotate.screening.base import Columns, ScreenFinding, finding
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between


class SeveralSigns(Thresholds):
    """The evidence of all other screens adds up to at least `sum`."""

    sum: float = between(8.0, 1, 100)
    minimum: int = between(8, 5, 1000)


def find(
    columns: Columns, own: SeveralSigns, limits: CrowdThresholds, others: Sequence[ScreenFinding]
) -> ScreenFinding:
    """Add up the evidence of the other screens.

    Who answers at random agrees a little too seldom, goes a little too little with their own edits
    and is a little too quick. How much honest people's evidence adds up to is what the calibration
    finds out. value: the sum, of logarithms to base 10.
    """
    total = np.sum([one.evidence for one in others], axis=0) if others else np.zeros(0)
    total = np.zeros(columns.people.size) + total
    return finding(
        "several_signs",
        columns,
        evidence=total,
        past=total >= own.sum,
        value=total,
        threshold=own.sum,
        n=columns.judgments,
        enough=(columns.judgments >= own.minimum) & columns.others(limits.people, limits.judgments),
    )
