"""Agreement as readers see it: numbers, a small plot, and words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max, QuerySet, Subquery

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.text.figures import many, percent
from estimation.models import Agreement
from estimation.selectors import shown
from estimation.selectors.criteria.cells import State
from estimation.selectors.shown import Awaited

# Krippendorff's customary bounds for labels that are used individually; a score here is a mean.
RELIABLE, TENTATIVE = 0.8, 2 / 3
SHOWN = 5  # annotators without whom alpha changes most
PLOT, MARGIN = 300.0, 10.0


@dataclass(frozen=True)
class NewestAgreement:
    """The newest alpha of one criterion, and its basis."""

    criterion: str
    at: datetime
    distance: str
    level: float
    alpha: float | None
    low: float | None
    high: float | None
    n_outputs: int
    n_judgments: int
    n_annotators: int
    detail: dict[str, Any]


@dataclass(frozen=True)
class Without:
    """Alpha without one annotator, shown by pseudonym."""

    annotator: str
    alpha: float
    change: float
    shared: int


@dataclass(frozen=True)
class Agreed:
    """The agreement on one criterion: its row, and the common scale of the plots."""

    criterion: Criterion
    row: NewestAgreement
    least: float
    planned: int  # outputs planned for several annotators

    @property
    def is_shown(self) -> bool:
        return self.row.n_outputs >= shown.least(self.planned)

    @property
    def evidence(self) -> str:
        return (
            f"{many(self.row.n_judgments, 'judgment')} of {many(self.row.n_outputs, 'output')} by "
            f"{many(self.row.n_annotators, 'person', 'people')}"
        )

    @property
    def why(self) -> str:
        return str(self.row.detail.get("why", ""))

    @property
    def observed(self) -> float | None:
        """Return how often two judgments of an output are equal; None in rows before 0.2.0."""
        return self.row.detail.get("observed")

    @property
    def has_levels(self) -> bool:
        return self.row.distance != "interval"

    @property
    def is_skewed(self) -> bool:
        """Return whether people agree while alpha is low: nearly all scores are the same."""
        alpha = self.row.alpha
        agree = self.observed is not None and self.observed >= RELIABLE
        return agree and (alpha is None or alpha < TENTATIVE)

    @property
    def in_words(self) -> str:
        """Return the observed agreement as sentences; empty if equal scores say nothing."""
        if self.observed is None or not (self.has_levels or self.is_skewed):
            return ""
        said = (
            f"Two people gave the same output the same score in {percent(self.observed)} of cases."
        )
        if not self.is_skewed:
            return said
        by_chance = percent(self.row.detail["by_chance"])
        return (
            f"{said} Nearly all scores are the same, so random answers would agree in {by_chance}, "
            "and alpha says little here."
        )

    @property
    def state(self) -> State:
        """Return the state by the interval, if there is one: a number alone looks too certain."""
        alpha, low = self.row.alpha, self.row.low
        if self.is_skewed:
            return State("", "info", "people agree; scores hardly vary")
        if alpha is None:
            return State("", "clock", "not known")
        if self.row.high is not None and self.row.high < 0:
            return State("warn", "warning", "people disagree more than chance would")
        if low is not None and low <= 0:
            return State("warn", "warning", "not distinguishable from chance")
        if alpha >= RELIABLE:
            return State("good", "check", "people agree")
        word = "people mostly agree" if alpha >= TENTATIVE else "people often differ"
        return State("", "info", word)

    @property
    def without(self) -> tuple[Without, ...]:
        """Return the annotators without whom alpha changes most, the largest change first."""
        if self.row.alpha is None:
            return ()
        found = [
            Without(one["annotator"], one["alpha"], one["alpha"] - self.row.alpha, one["shared"])
            for one in self.row.detail.get("without", [])
            if one["alpha"] is not None
        ]
        found.sort(key=lambda one: (-abs(one.change), one.annotator))
        return tuple(found[:SHOWN])

    @property
    def x(self) -> str:
        return self._x(self.row.alpha or 0.0)

    @property
    def x_zero(self) -> str:
        return self._x(0.0)

    @property
    def x_low(self) -> str | None:
        return None if self.row.low is None else self._x(self.row.low)

    @property
    def x_high(self) -> str | None:
        return None if self.row.high is None else self._x(self.row.high)

    def _x(self, value: float) -> str:
        share = (value - self.least) / (1.0 - self.least)
        return f"{MARGIN + share * (PLOT - 2 * MARGIN):.1f}"


def newest(campaign_id: int) -> QuerySet[Agreement]:
    """Select the newest row of every criterion."""
    last = (
        Agreement.objects.filter(campaign=campaign_id)
        .order_by()
        .values("criterion")
        .annotate(last=Max("id"))
    )
    return Agreement.objects.filter(id__in=Subquery(last.values("last"))).order_by("id")


def awaited(found: Sequence[Agreed], *, planned: int, final: bool) -> Awaited | None:
    """Return what the first alpha waits for; None if one is shown or none will follow.

    planned: outputs planned for several annotators.
    """
    if not planned or any(one.is_shown for one in found):
        return None
    n = max((one.row.n_outputs for one in found), default=0)
    of = ("output judged by several people", "outputs judged by several people")
    return Awaited("Agreement figures", of, n, shown.least(planned), final)


def agreed(facts: CampaignFacts, *, planned: int) -> tuple[Agreed, ...]:
    """Return the newest agreement of each criterion that has any, the primary ones first."""
    names = NewestAgreement.__dataclass_fields__
    rows = {row[0]: NewestAgreement(*row) for row in newest(facts.campaign_id).values_list(*names)}
    ends = [row.low if row.low is not None else row.alpha for row in rows.values()]
    least = min([-0.1, *(end for end in ends if end is not None)])
    ordered = sorted(facts.criteria, key=lambda criterion: criterion not in facts.primary)
    return tuple(
        Agreed(criterion, rows[criterion.name], least, planned)
        for criterion in ordered
        if criterion.name in rows
    )
