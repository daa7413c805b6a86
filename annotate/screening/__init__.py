"""Screens: signs of careless work, one verdict per annotator. Pure functions; people rule on them.

No screen sees a system, a metric or an estimate: who is looked at may not depend on what that does
to the result.
"""

from annotate.screening.base import Columns, Highlights, Verdict
from annotate.screening.registry import SCREENS
from annotate.screening.running import run, screen_all
from annotate.screening.settings import Settings
from annotate.screening.thresholds import SettingsError

__all__ = [
    "SCREENS",
    "Columns",
    "Highlights",
    "Settings",
    "SettingsError",
    "Verdict",
    "run",
    "screen_all",
]
