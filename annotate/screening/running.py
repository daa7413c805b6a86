"""Runs screens over one campaign."""

from typing import Any

from annotate.screening.base import Columns, Verdict
from annotate.screening.registry import SCREENS
from annotate.screening.screen import Screen
from annotate.screening.settings import Settings


def run(screen: Screen[Any], columns: Columns, settings: Settings) -> list[Verdict]:
    """Return the verdicts of one screen on every annotator, flagged or not."""
    return screen.find(columns, settings.of(screen.thresholds), settings.crowd)


def screen_all(columns: Columns, settings: Settings | None = None) -> list[Verdict]:
    """Return the verdicts of every screen on every annotator, flagged or not.

    If a campaign does not collect a screen's data, `enough` is False for all annotators.
    """
    chosen = settings or Settings()
    return [verdict for screen in SCREENS.values() for verdict in run(screen, columns, chosen)]
