"""The researcher's own texts for the annotators of a campaign."""

from dataclasses import dataclass, fields
from datetime import datetime

from annotate.models import Campaign


@dataclass(frozen=True)
class StudyTexts:
    """The texts of a campaign; "" for none. They are plain text, blank lines part paragraphs.

    consent: who does not accept it gets no task. ethics: the approval's number, or why none was
    needed. background: questions to people about themselves.
    """

    consent: str = ""
    ethics: str = ""
    instructions: str = ""
    background: str = ""


NONE = StudyTexts()


def consent_version(campaign: Campaign) -> int:
    """Return which version of its consent text a campaign has, from 1."""
    found = getattr(campaign, "texts", None)
    return 1 if found is None else int(found.consent_version)


def instructions_at(campaign: Campaign) -> datetime | None:
    """Return when the instructions were last amended; None if they never were."""
    found = getattr(campaign, "texts", None)
    return None if found is None else found.instructions_at


def of(campaign: Campaign) -> StudyTexts:
    """Return the texts of a campaign; one query unless they were read with it."""
    found = getattr(campaign, "texts", None)
    if found is None:
        return NONE
    return StudyTexts(**{one.name: getattr(found, one.name) for one in fields(StudyTexts)})
