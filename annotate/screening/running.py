"""Runs screens over one campaign."""

from dataclasses import fields
from typing import Any

import numpy as np

from annotate.screening.agreement.finding import unseen
from annotate.screening.agreement.screen import LOW_AGREEMENT
from annotate.screening.base import Columns, ScreenFinding, Verdict, verdicts
from annotate.screening.cutoffs import NOMINAL, Cutoffs
from annotate.screening.joining import added, last
from annotate.screening.registry import SCREENS
from annotate.screening.screen import Screen
from annotate.screening.settings import Settings

WHOLE = ("screen", "people", "threshold", "numbers")


def measured(screen: Screen[Any], columns: Columns, settings: Settings) -> ScreenFinding:
    """Return what one screen measures, on all work or on the last judgments: what is strongest.

    The last ones are looked at, and twice as many: those show what is weak in each task.
    """
    own = settings.of(screen.thresholds)
    if screen.find is None:
        raise ValueError(f"{screen.key} looks at what the other screens found.")
    found = screen.find(columns, own, settings.crowd)
    for most in (settings.flags.recent, 2 * settings.flags.recent) if screen.recent else ():
        if (columns.judgments > most).any():
            if screen.find_lately:
                recent = screen.find_lately(columns, own, settings.crowd, most)
            else:
                recent = screen.find(last(columns, most), own, settings.crowd)
            found = _stronger(found, recent, most)
    return found


def _stronger(found: ScreenFinding, recent: ScreenFinding, most: int) -> ScreenFinding:
    """Return the stronger of two findings for each person; its number "recent" says which it is."""
    worse = recent.evidence > found.evidence
    mixed = {
        one.name: np.where(worse, getattr(recent, one.name), getattr(found, one.name))
        for one in fields(ScreenFinding)
        if one.name not in WHOLE
    }
    before = {"recent": np.zeros(worse.size)} | dict(found.numbers)
    now = dict(recent.numbers) | {"recent": np.full(worse.size, float(most))}
    numbers = {name: np.where(worse, now[name], column) for name, column in before.items()}
    return ScreenFinding(
        found.screen, found.people, threshold=found.threshold, numbers=numbers, **mixed
    )


def findings(columns: Columns, settings: Settings) -> list[ScreenFinding]:
    """Return what each screen that is on measures."""
    on = [screen for key, screen in SCREENS.items() if key not in settings.flags.off]
    if LOW_AGREEMENT in on:
        columns = added(columns, unseen=unseen(columns, settings.crowd))
    found = [measured(screen, columns, settings) for screen in on if screen.find]
    sums = [
        screen.sums(columns, settings.of(screen.thresholds), settings.crowd, found)
        for screen in on
        if screen.sums
    ]
    return [*found, *sums]


def run(
    screen: Screen[Any], columns: Columns, settings: Settings, cutoffs: Cutoffs = NOMINAL
) -> list[Verdict]:
    """Return the verdicts of one screen on every annotator, flagged or not."""
    return _judged(measured(screen, columns, settings), settings, cutoffs)


def screen_all(
    columns: Columns,
    settings: Settings | None = None,
    cutoffs: Cutoffs = NOMINAL,
    flagged_only: bool = False,
) -> list[Verdict]:
    """Return the verdicts of the screens on every annotator, flagged or not.

    Where a campaign does not collect a screen's data, there is none of this screen.
    flagged_only: return the verdicts that flag, which takes much less time in a large campaign.
    """
    chosen = settings or Settings()
    return [
        one
        for found in findings(columns, chosen)
        if found.n.any()
        for one in _judged(found, chosen, cutoffs, flagged_only)
    ]


def _judged(
    found: ScreenFinding, settings: Settings, cutoffs: Cutoffs, flagged_only: bool = False
) -> list[Verdict]:
    return verdicts(
        found,
        listed_at=cutoffs.listed(found.screen),
        paused_at=cutoffs.paused(found.screen),
        pauses=found.screen not in settings.flags.list_only,
        flagged_only=flagged_only,
    )
