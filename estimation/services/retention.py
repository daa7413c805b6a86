"""Thins the history of estimates and of agreement, which grow with refreshes and rulings.

A chart needs a row wherever the number of judgments has changed by a percent. What a decision
cites, what is final, what was newest when the campaign closed and what is newest now stays, too.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from django.db.models import BooleanField, F, OuterRef, Subquery, Value
from django.utils import timezone

from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns import newest as newest_ids
from estimation.models import Agreement, Comparison, Decision, Estimate
from estimation.services import catching_up

STEP = 0.01  # the change of a row's number of judgments, as a share, after which another is kept
AGE = timedelta(minutes=10)  # younger rows all stay
IDLE = timedelta(days=7)  # a campaign without newer rows was thinned before
MOST = 20_000  # rows of a table that one run deletes; the next run goes on
BATCH = 500


@dataclass(frozen=True)
class _Series:
    """A table, the columns that tell its series from each other, and what cites its rows.

    name, citing: None where no decision cites rows of the table; such rows are never final.
    """

    model: type[Estimate] | type[Comparison] | type[Agreement]
    columns: tuple[str, ...]
    name: str | None = None
    citing: Any = None


TABLES = (
    _Series(Estimate, ("system", "criterion"), "estimate", Decision.estimates.through),
    _Series(
        Comparison, ("first", "second", "criterion"), "comparison", Decision.comparisons.through
    ),
    _Series(Agreement, ("criterion",)),
)
_NEVER_FINAL = Value(True, BooleanField())


def thin_all() -> int:
    """Thin the histories of campaigns that were estimated lately; return of how many."""
    newest = Estimate.objects.filter(campaign=OuterRef("pk")).order_by("-id").values("id")[:1]
    active = Estimate.objects.filter(
        id__in=newest_ids.by_campaign(Subquery(newest)), at__gte=timezone.now() - IDLE
    )
    found = active.order_by("campaign").values_list("campaign", flat=True)
    return catching_up.each(list(found), thin, doing="thinning the history of")


def thin(campaign_id: int) -> int:
    """Delete old rows that nothing needs; return how many. Safe to repeat, and to interrupt."""
    return sum(_thin(campaign_id, table) for table in TABLES)


def _thin(campaign_id: int, table: _Series) -> int:
    old = table.model.objects.filter(campaign=campaign_id, at__lt=timezone.now() - AGE)
    provisional = F("provisional") if table.citing else _NEVER_FINAL
    rows = old.order_by("id").values_list("id", "n_judgments", provisional, "at", *table.columns)
    spare = _spare(rows.iterator(), closed_at=counting.closed_at(campaign_id))
    # Read after the rows: a decision is written in one transaction with what it cites.
    cited = set(_cited(campaign_id, table))
    gone = [pk for pk in spare if pk not in cited][:MOST]
    for start in range(0, len(gone), BATCH):
        table.model.objects.filter(pk__in=gone[start : start + BATCH]).delete()
    return len(gone)


def _cited(campaign_id: int, table: _Series) -> Iterable[int]:
    if table.citing is None:
        return ()
    links = table.citing.objects.filter(decision__campaign=campaign_id)
    return cast(Iterable[int], links.values_list(table.name, flat=True))


def _spare(rows: Iterable[tuple[Any, ...]], *, closed_at: datetime | None) -> list[int]:
    """Return the ids of the rows between those that a chart needs.

    Rows come oldest first. What is kept does not depend on what was deleted before, so a second
    look finds nothing more.
    """
    kept: dict[tuple[Any, ...], int] = {}
    newest: dict[tuple[Any, ...], int] = {}
    at_closing: dict[tuple[Any, ...], int] = {}
    between = []
    for pk, n, provisional, at, *series in rows:
        key = tuple(series)
        newest[key] = pk
        if closed_at is not None and at <= closed_at:
            at_closing[key] = pk
        if key not in kept or abs(n - kept[key]) >= max(1, STEP * kept[key]):
            kept[key] = n
        elif provisional:
            between.append(pk)
    stays = {*newest.values(), *at_closing.values()}
    return [pk for pk in between if pk not in stays]
