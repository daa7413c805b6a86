"""Screens: signs of careless work, one verdict per annotator. Pure functions; people rule on them.

Screens do not see systems, metrics or estimates: whose work is checked must not depend on its
effect on the result.
"""

from annotate.screening.base import Columns, Highlights, SettingsError, Verdict
from annotate.screening.screens import SCREENS, FlagSettings, Settings, run, screen_all

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
