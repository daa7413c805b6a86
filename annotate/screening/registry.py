"""The screens that exist. A new one is a folder and a line here."""

from collections.abc import Collection
from typing import Any

from annotate.screening.agreement.screen import LOW_AGREEMENT
from annotate.screening.consistency.screen import OWN_CONSISTENCY
from annotate.screening.edits.screen import SHORT_EDITS
from annotate.screening.evidence.screen import THIN_EVIDENCE
from annotate.screening.patterns.screen import RANDOM_ANSWERS
from annotate.screening.screen import Screen
from annotate.screening.sequence.screen import ANSWER_PATTERN
from annotate.screening.timing.screen import TOO_FAST
from annotate.screening.together.screen import SEVERAL_SIGNS
from annotate.screening.variation.screen import NO_VARIATION

SCREENS: dict[str, Screen[Any]] = {
    screen.key: screen
    for screen in (
        TOO_FAST,
        LOW_AGREEMENT,
        SHORT_EDITS,
        THIN_EVIDENCE,
        NO_VARIATION,
        RANDOM_ANSWERS,
        ANSWER_PATTERN,
        OWN_CONSISTENCY,
        SEVERAL_SIGNS,
    )
}


def is_sum(screen: str) -> bool:
    """Return whether this screen adds up the evidence of all others."""
    return screen in SCREENS and SCREENS[screen].sums is not None


def n_signs(screens: Collection[str]) -> int:
    """Return how many different signs these screens are: their sum counts only alone."""
    return len({one for one in screens if not is_sum(one)}) or len(set(screens))
