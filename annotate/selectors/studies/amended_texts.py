"""Texts for annotators: the current ones, amendments, and who accepted which."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef

from annotate.models import Campaign, EarlierConsent, Judgment, Participation
from annotate.selectors import amendments
from annotate.selectors.amendments import Amendment
from annotate.selectors.studies import texts

AMENDED = "amend_texts"  # the verb of the log


@dataclass(frozen=True)
class ReadTexts:
    """The texts that can be changed; "" for none. The title always has a visible character."""

    public_title: str
    public_about: str
    contact: str
    instructions: str
    consent: str

    @property
    def revision(self) -> str:
        """Return what changes with any of them, so that a stale page does not overwrite newer."""
        plain = json.dumps(list(asdict(self).values()))
        return hashlib.sha256(plain.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class ConsentVersion:
    """A consent text. until: when another one took its place; None: it holds now.

    text: "" while there was none. n_people: who accepted it, each once.
    """

    number: int
    text: str
    until: datetime | None
    n_people: int


def of(campaign: Campaign) -> ReadTexts:
    own = texts.of(campaign)
    return ReadTexts(
        campaign.public_title,
        campaign.public_about,
        campaign.contact,
        own.instructions,
        own.consent,
    )


def read(campaign_id: int) -> ReadTexts:
    return of(Campaign.objects.select_related("texts").get(pk=campaign_id))


def amended(campaign_id: int) -> tuple[Amendment, ...]:
    """Return what was changed after the opening, newest first."""
    return amendments.logged(campaign_id, AMENDED)


def consents(campaign: Campaign) -> tuple[ConsentVersion, ...]:
    """Return the versions of the consent text since the opening, newest first."""
    number, text, until = texts.consent_version(campaign), texts.of(campaign).consent, None
    found = []
    for one in amended(campaign.pk):
        if "consent" in one.changes:
            found.append(ConsentVersion(number, text, until, _accepted(campaign.pk, number)))
            number, text, until = number - 1, str(one.changes["consent"][0]), one.at
    return (*found, ConsentVersion(number, text, until, _accepted(campaign.pk, number)))


def accepted(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Yield who accepted which version, of those who have judged, in the order of time."""
    mine = Judgment.objects.filter(campaign=campaign)
    judged = Exists(mine.filter(annotator=OuterRef("annotator")))
    earlier = Exists(mine.filter(annotator=OuterRef("participation__annotator")))
    now = Participation.objects.filter(judged, campaign=campaign, consented_at__isnull=False)
    before = EarlierConsent.objects.filter(earlier, participation__campaign=campaign)
    who = "annotator__pseudonym"
    rows = [
        *now.values_list("consented_at", who, "consented_to"),
        *before.values_list("accepted_at", f"participation__{who}", "version"),
    ]
    for at, pseudonym, version in sorted(rows):
        yield {"annotator": pseudonym, "version": version, "accepted_at": at}


def _accepted(campaign_id: int, number: int) -> int:
    now = Participation.objects.filter(
        campaign=campaign_id, consented_at__isnull=False, consented_to=number
    )
    earlier = EarlierConsent.objects.filter(participation__campaign=campaign_id, version=number)
    people = now.values("annotator").union(earlier.values("participation__annotator"))
    return people.count()
