"""Screens: signs of careless work, one verdict per annotator. Pure functions; people rule on them.

No screen sees a system, a metric or an estimate: who is looked at may not depend on what that does
to the result.
"""

from annotate.screening.agreement import low_agreement
from annotate.screening.base import Columns, Highlights, Verdict
from annotate.screening.edits import short_edits
from annotate.screening.evidence import thin_evidence
from annotate.screening.patterns import random_answers
from annotate.screening.running import SCREENS, screen_all
from annotate.screening.settings import Settings, SettingsError
from annotate.screening.timing import too_fast
from annotate.screening.variation import no_variation

__all__ = [
    "SCREENS",
    "Columns",
    "Highlights",
    "Settings",
    "SettingsError",
    "Verdict",
    "low_agreement",
    "no_variation",
    "random_answers",
    "screen_all",
    "short_edits",
    "thin_evidence",
    "too_fast",
]
