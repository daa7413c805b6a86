"""Estimates as a refresh stores them, with usual numbers."""

from typing import Any

from annotate.models import Campaign, System
from estimation.models import Estimate


def estimate_row(
    made: Campaign, system: System, middle: float = 0.4, width: float | None = 0.3, **changes: Any
) -> Estimate:
    """Return a row that is not stored; the plain mean's interval is 1.25 times as wide."""
    half = None if width is None else width / 2
    usual = {
        "campaign": made,
        "system": system,
        "criterion": "overall",
        "estimator": "regression",
        "interval": "two_way",
        "estimand": "population",
        "metrics": made.metrics,
        "level": 0.95,
        "estimate": middle,
        "low": half and middle - half,
        "high": half and middle + half,
        "width": width,
        "std_error": half and half / 2,
        "df": 20,
        "mean_estimate": middle + 0.01,
        "mean_low": half and middle + 0.01 - 1.25 * half,
        "mean_high": half and middle + 0.01 + 1.25 * half,
        "n_items": 40,
        "n_population": 100,
        "n_judgments": 40,
        "n_annotators": 20,
        "effective_annotators": 18.0,
        "detail": {"at_target": False},
    }
    return Estimate(**(usual | changes))
