"""What somebody does before the first task of a study: consent, then background questions."""

from typing import Literal

from annotate.models import Participation
from annotate.selectors.studies.texts import StudyTexts

Owed = Literal["", "consent", "background"]


def owed(told: StudyTexts, who: Participation) -> Owed:
    """Return what comes before this person's first task; "" once nothing does."""
    if told.consent and who.consented_at is None:
        return "consent"
    if told.background and who.background_at is None:
        return "background"
    return ""
