"""The newest estimate of every system × criterion, as plain rows."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F

from estimation.selectors import history


@dataclass(frozen=True)
class EstimateRow:
    """One system × criterion; numbers in score units, None where there is no interval."""

    id: int
    system_id: int
    system: str
    criterion: str
    at: datetime
    provisional: bool
    estimator: str
    interval: str
    estimand: str
    metrics: list[str]
    level: float
    estimate: float
    low: float | None
    high: float | None
    width: float | None
    df: float | None
    std_error: float | None
    mean_estimate: float
    mean_low: float | None
    mean_high: float | None
    n_items: int
    n_population: int
    n_judgments: int
    n_annotators: int
    effective_annotators: float
    n_unfinished: int
    detail: dict[str, Any]

    @property
    def at_target(self) -> bool:
        return bool(self.detail.get("at_target"))


FIELDS = [name for name in EstimateRow.__dataclass_fields__ if name != "system"]


def latest(campaign_id: int) -> list[EstimateRow]:
    """Return one row per system × criterion, systems in upload order; one query."""
    rows = history.newest([campaign_id]).order_by("system", "criterion")
    named = rows.values(*FIELDS, name=F("system__name"))
    return [EstimateRow(system=row.pop("name"), **row) for row in named]
