"""All screens over one campaign."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from annotate.screening.agreement import low_agreement
from annotate.screening.base import Columns, Verdict
from annotate.screening.edits import short_edits
from annotate.screening.evidence import thin_evidence
from annotate.screening.patterns import random_answers
from annotate.screening.settings import Settings
from annotate.screening.timing import too_fast
from annotate.screening.variation import no_variation

Screen = Callable[[Columns, Settings], list[Verdict]]

SCREENS: Mapping[str, Screen] = MappingProxyType(
    {
        "too_fast": too_fast,
        "low_agreement": low_agreement,
        "short_edits": short_edits,
        "thin_evidence": thin_evidence,
        "no_variation": no_variation,
        "random_answers": random_answers,
    }
)


def screen_all(columns: Columns, settings: Settings | None = None) -> list[Verdict]:
    """Return the verdicts of every screen on every annotator, flagged or not.

    A screen whose evidence a campaign does not collect answers with `enough` False for everybody.
    """
    chosen = settings or Settings()
    return [verdict for screen in SCREENS.values() for verdict in screen(columns, chosen)]
