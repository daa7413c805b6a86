"""Screens: signs of careless work, one verdict per annotator. Pure functions; people rule on them.

Screens do not see systems, metrics or estimates: whose work is checked must not depend on its
effect on the result.
"""

from annotate.screening.base import Columns, Highlights, Verdict
from annotate.screening.registry import SCREENS
from annotate.screening.running import run, screen_all
from annotate.screening.settings import FlagSettings, Settings
from annotate.screening.thresholds import SettingsError

__all__ = [
    "SCREENS",
    "Columns",
    "FlagSettings",
    "Highlights",
    "Settings",
    "SettingsError",
    "Verdict",
    "run",
    "screen_all",
]
