"""Whether a campaign's page counts signals, and from where on they list somebody for review."""

from collections.abc import Mapping
from typing import Any

from annotate.screening.thresholds import Thresholds, between

SIGNALS = "signals"  # the name of the group in the stored settings


class SignalThresholds(Thresholds):
    """The settings of the signals of the page.

    on: whether the page counts anything. It is told to annotators where they join.
    inserted: characters from which on an edit is looked at.
    untyped: share of such edits, typed less than half, above which their author is listed.
    level: confidence of the bounds of shares and of the variation of times.
    variation: standard deviation of log times; who certainly varies less is listed.
    away: share of tasks left for another window, above which somebody is listed; 1: never.
    chance: probability that two honest people who share network and device are taken for one.
    """

    on: bool = False
    inserted: int = between(10, 1, 10_000)
    untyped: float = between(0.3, 0.1, 1)
    level: float = between(0.99, 0.8, 0.9999)
    variation: float = between(0.15, 0, 1)
    away: float = between(1, 0.1, 1)
    chance: float = between(0.01, 0.0001, 0.2)


def signals_on(stored: Mapping[str, Any]) -> bool:
    """Return whether a campaign's stored settings ask for signals."""
    return bool(stored.get(SIGNALS, {}).get("on", False))
