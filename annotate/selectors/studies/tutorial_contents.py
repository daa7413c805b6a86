"""Tutorials that researchers supplied, in place of the built-in ones."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotate.errors import NotFound
from annotate.instruments.base import Instrument
from annotate.instruments.tutorials import reading
from annotate.instruments.tutorials.content import Tutorial
from annotate.models import Campaign, TutorialContent
from annotate.selectors.studies import instruments
from annotate.text.languages import interface_language


@dataclass(frozen=True)
class ListedTutorial:
    """One stored tutorial, with its number of questions and the title in its file.

    asked: graded questions of a round. lacks: how many more a second round of other ones needs.
    """

    id: int
    instrument: str
    title: str
    language: str
    version: str
    n_questions: int
    owner: str
    mine: bool
    created_at: datetime
    campaigns: int
    asked: int
    lacks: int


def listed(key: str, user_id: int | None) -> list[ListedTutorial]:
    """Return the tutorials stored for an instrument, the newest first."""
    used = Counter(Campaign.objects.exclude(tutorial=None).values_list("tutorial", flat=True))
    rows = TutorialContent.objects.filter(instrument=key).select_related("owner")
    return [_listed(row, used[row.pk], user_id) for row in rows]


def _listed(row: TutorialContent, campaigns: int, user_id: int | None) -> ListedTutorial:
    raw = row.content
    graded = [one for one in raw["questions"] if str(one.get("kind")).strip() != "example"]
    asked = raw.get("asked") or len(graded)
    return ListedTutorial(
        id=row.pk,
        instrument=row.instrument,
        title=str(raw.get("title", "")),
        language=str(raw["language"]),
        version=str(raw["version"]),
        n_questions=len(raw["questions"]),
        owner=row.owner.get_username() if row.owner else "",
        mine=row.owner_id == user_id,
        created_at=row.created_at,
        campaigns=campaigns,
        asked=asked,
        lacks=max(0, 2 * asked - len(graded)),
    )


def content(tutorial_id: int, *, key: str) -> Any:
    """Return a stored tutorial as its JSON, if it belongs to the instrument `key`."""
    row = TutorialContent.objects.filter(pk=tutorial_id, instrument=key).first()
    if row is None:
        raise NotFound("There is no such tutorial for this instrument.")
    return row.content


def of(tutorial_id: int, instrument: Instrument) -> Tutorial:
    """Return a stored tutorial as it is asked with this version of its instrument.

    Raises `NotFound` for a missing tutorial, and `Refused` if it does not fit the version.
    """
    raw = content(tutorial_id, key=instrument.key)
    return reading.stored(raw, instrument=instrument.key, criteria=instrument.criteria)


def of_campaign(campaign: Campaign, instrument: Instrument | None = None) -> Tutorial | None:
    """Return the annotators' tutorial: the researcher's own, otherwise the instrument's.

    The instrument's own is in the language of the pages, like its levels.
    """
    if not campaign.tutorial_required:
        return None
    instrument = instrument or instruments.of(campaign)
    if campaign.tutorial_id is None:
        return instrument.tutorial(interface_language(campaign.language))
    return of(campaign.tutorial_id, instrument)
