"""Differences between systems: which are newest, and the tables of a campaign."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType

from django.db.models import OuterRef, QuerySet, Subquery

from annotate.selectors.campaigns import newest as newest_ids
from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.selectors.studies import instruments
from annotate.states import StopMode
from annotate.text.figures import percent
from estimation.models import Comparison
from estimation.selectors import shown
from estimation.selectors.criteria.contrasts import (
    Adjustment,
    ContrastTable,
    NewestComparison,
    table_of,
)
from estimation.selectors.shown import Awaited

USUAL: Adjustment = "holm"
ADJUSTMENTS: Mapping[Adjustment, str] = MappingProxyType(
    {"holm": "Holm", "simultaneous": "simultaneous intervals", "none": "not at all"}
)


def offered(facts: CampaignFacts) -> dict[Adjustment, str]:
    """Return the adjustments that a campaign's pairs can have, each in words.

    A confidence sequence is wider than a t interval, and is not made simultaneous here.
    """
    always = facts.stop_mode == StopMode.ANYTIME
    return {key: said for key, said in ADJUSTMENTS.items() if key != "simultaneous" or not always}


def explained(facts: CampaignFacts, adjustment: Adjustment) -> str:
    """Return what an adjustment does, for one who reads the differences."""
    level = percent(facts.level)
    if adjustment == "simultaneous":
        return (
            f"Intervals are wider, so that with {level} confidence all pairs of a criterion hold "
            "together (Bonferroni). Told apart: 0 lies outside."
        )
    alone = f"{level} intervals for each pair by itself."
    if adjustment == "none":
        return f"{alone} Told apart: 0 lies outside. Of many equal pairs, some are by chance."
    now = " at this look" if facts.stop_mode == StopMode.ANYTIME else ""
    return f"{alone} Told apart: for all pairs of a criterion together, after Holm ({level}{now})."


def adjustment_of(facts: CampaignFacts, asked: str) -> Adjustment:
    """Return the adjustment of this name; Holm's for none, or for one that is not offered."""
    return next((key for key in offered(facts) if key == asked), USUAL)


def awaited(tables: Sequence[ContrastTable]) -> Awaited | None:
    """Return what the first differences wait for; None if any is shown or there are no pairs."""
    rows = [contrast.row for table in tables for contrast in table.contrasts]
    if not rows or any(table.shown for table in tables):
        return None
    most = max(rows, key=lambda row: row.n_items)
    needed = shown.least(most.n_population)
    of = ("item judged for both systems", "items judged for both systems")
    return Awaited("Differences", of, most.n_items, needed)


def newest(campaign_id: int, criteria: Iterable[str] | None = None) -> QuerySet[Comparison]:
    """Select the newest row of every pair and criterion, in the order of upload."""
    return newest_of([campaign_id], criteria)


def newest_of(
    campaign_ids: Sequence[int], criteria: Iterable[str] | None = None
) -> QuerySet[Comparison]:
    """Select the same of several campaigns.

    An index leads to the newest of each pair, however long the history is. criteria: by default all
    that the campaigns ask about, which takes one query more.
    """
    names = instruments.criteria_of(campaign_ids) if criteria is None else criteria
    of_pair = Comparison.objects.filter(
        campaign=OuterRef("campaign"), first=OuterRef("pk"), second=OuterRef(newest_ids.OTHER)
    ).order_by("-id")
    found = [Subquery(of_pair.filter(criterion=name).values("id")[:1]) for name in names]
    ids = newest_ids.by_pair(campaign_ids, *found)
    return Comparison.objects.filter(id__in=ids, n_judgments__gt=0).order_by("id")


def tables(facts: CampaignFacts, adjustment: Adjustment = USUAL) -> tuple[ContrastTable, ...]:
    """Return the differences on each primary criterion that has any; two queries."""
    systems = {system.system_id: system.name for system in facts.systems}
    primary = [criterion.name for criterion in facts.primary]
    newest_rows = newest(facts.campaign_id, primary)
    names = [field.name for field in fields(NewestComparison)]
    compared = [NewestComparison(*row) for row in newest_rows.values_list(*names)]
    return tuple(
        table_of(criterion, mine, systems, adjustment, final=facts.is_final)
        for criterion in facts.primary
        if (mine := [row for row in compared if row.criterion == criterion.name])
    )
