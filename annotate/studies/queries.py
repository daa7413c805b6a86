"""What a campaign asks: its instrument, tutorial, texts and background questions."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet

from annotate.common import rows as common_rows
from annotate.common.errors import NotFound
from annotate.common.rows import Amendment
from annotate.common.schemas import SLUG
from annotate.common.text import interface_language, is_visible
from annotate.instruments import base as instruments_base
from annotate.instruments import registry, tutorials
from annotate.instruments.base import Instrument, TextBeside
from annotate.instruments.rating.instrument import Rating, read_definition
from annotate.instruments.recorded.instrument import DEFINED, RecordedScores
from annotate.instruments.tutorials import Tutorial
from annotate.models import (
    BackgroundAnswers,
    Campaign,
    EarlierConsent,
    InstrumentDefinition,
    Judgment,
    Output,
    Participation,
    TutorialContent,
)

NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True)
class ListedInstrument:
    """One version of an instrument that a campaign can use."""

    instrument: Instrument
    owner: str  # "" for built-in ones
    created_at: datetime | None
    campaigns: int
    mine: bool = False

    @property
    def built_in(self) -> bool:
        return self.created_at is None

    @property
    def is_definition(self) -> bool:
        """Return whether it can be downloaded as JSON."""
        return isinstance(self.instrument, Rating)

    @property
    def reference(self) -> str:
        """Return the name by which a plan chooses it."""
        key, version = self.instrument.key, self.instrument.version
        return key if self.built_in else f"{key}@{version}"


def instrument_of(campaign: Campaign) -> Instrument:
    """Return the instrument of a campaign, in the campaign's version."""
    return get_instrument(campaign.instrument, campaign.instrument_version)


def compares(campaign_id: int) -> bool:
    """Return whether the campaign's outputs are pairs of texts."""
    rows = Campaign.objects.filter(pk=campaign_id).values_list("instrument", "instrument_version")
    return get_instrument(*rows.get()).compares


def criteria_of(campaign_ids: Collection[int]) -> list[str]:
    """Return the names of all criteria that are asked about in these campaigns."""
    asked = Campaign.objects.filter(pk__in=campaign_ids).order_by()
    used = asked.values_list("instrument", "instrument_version").distinct()
    return sorted({one.name for which in used for one in get_instrument(*which).criteria})


def named(reference: str) -> Instrument:
    """Return the instrument that `key` or `key@version` names; KeyError as for `get`.

    A built-in one has one version: another is refused, and never read as this one.
    """
    key, at, version = reference.partition("@")
    found = get_instrument(key, version)
    if at and version != found.version:
        raise KeyError(f"No version {version[:80]!r} of {key}; there is {found.version}.")
    return found


def get_instrument(key: str, version: str = "") -> Instrument:
    """Return an instrument, the latest version if none is named.

    Raises KeyError with the existing names.
    """
    if key in registry.INSTRUMENTS:
        return registry.get(key, version)
    if not SLUG.match(key):
        raise KeyError(_unknown(key))
    rows = InstrumentDefinition.objects.filter(key=key)  # the newest first
    if version:
        rows = rows.filter(version=int(version) if NUMBER.fullmatch(version) else 0)
    row = rows.first()
    if row is None:
        raise KeyError(_unknown(f"{key}@{version}" if version else key))
    if DEFINED in row.definition:
        return RecordedScores.defined(row.key, row.definition)
    return _rating(row)


def _rating(row: InstrumentDefinition) -> Rating:
    return Rating(read_definition(row.definition, version=str(row.version)), row.hter_version)


def _unknown(reference: str) -> str:
    defined = asked_definitions().order_by("key").values_list("key", flat=True).distinct()
    known = ", ".join([*registry.INSTRUMENTS, *defined])
    return f"No instrument {reference[:80]!r}; there are {known}."


def asked_definitions() -> QuerySet[InstrumentDefinition]:
    """Select the definitions that people can be asked by: not those of imported judgments."""
    return InstrumentDefinition.objects.exclude(definition__has_key=DEFINED)


def is_built_in(key: str) -> bool:
    return key in registry.INSTRUMENTS


def listed(user_id: int | None) -> list[ListedInstrument]:
    """Return all instruments that a campaign can use: built-in ones, then the newest versions."""
    used = Counter(Campaign.objects.values_list("instrument", "instrument_version"))
    built_in = [
        ListedInstrument(one, "", None, sum(n for (key, _v), n in used.items() if key == one.key))
        for one in registry.asked()
    ]
    rows = asked_definitions().select_related("owner").order_by("key", "-version")
    defined = [
        ListedInstrument(
            _rating(row),
            row.owner.get_username() if row.owner else "",
            row.created_at,
            used[row.key, str(row.version)],
            mine=row.owner_id == user_id,
        )
        for row in rows
    ]
    return [*built_in, *defined]


# Tutorials that researchers supplied, in place of the built-in ones.


def tutorials_listed(key: str, user_id: int | None) -> list[Any]:
    """Return the tutorials stored for an instrument, the newest first.

    Each has further attributes: `title`, `language`, `version` and `n_questions` of its content,
    `campaigns` (how many use it), `mine`, `asked` (graded questions of a round) and `lacks` (how
    many more a second round of other ones needs).
    """
    used = Counter(Campaign.objects.exclude(tutorial=None).values_list("tutorial", flat=True))
    found: list[Any] = list(TutorialContent.objects.filter(instrument=key).select_related("owner"))
    for one in found:
        raw = one.content
        graded = [each for each in raw["questions"] if str(each.get("kind")).strip() != "example"]
        one.title, one.language = str(raw.get("title", "")), str(raw["language"])
        one.version, one.n_questions = str(raw["version"]), len(raw["questions"])
        one.campaigns, one.mine = used[one.pk], one.owner_id == user_id
        one.asked = raw.get("asked") or len(graded)
        one.lacks = max(0, 2 * one.asked - len(graded))
    return found


def content(tutorial_id: int, *, key: str) -> Any:
    """Return a stored tutorial as its JSON, if it belongs to the instrument `key`."""
    row = TutorialContent.objects.filter(pk=tutorial_id, instrument=key).first()
    if row is None:
        raise NotFound("There is no such tutorial for this instrument.")
    return row.content


def tutorial_of(tutorial_id: int, instrument: Instrument) -> Tutorial:
    """Return a stored tutorial as it is asked with this version of its instrument.

    Raises `NotFound` for a missing tutorial, and `Refused` if it does not fit the version.
    """
    raw = content(tutorial_id, key=instrument.key)
    return tutorials.stored_tutorial(
        raw, instrument=instrument.key, criteria=instrument.criteria, asked=instrument.asked
    )


def of_campaign(campaign: Campaign, instrument: Instrument | None = None) -> Tutorial | None:
    """Return the annotators' tutorial: the researcher's own, otherwise the instrument's.

    The instrument's own is in the language of the pages, like its levels.
    """
    if not campaign.tutorial_required:
        return None
    instrument = instrument or instrument_of(campaign)
    if campaign.tutorial_id is None:
        return instrument.tutorial(interface_language(campaign.language))
    return tutorial_of(campaign.tutorial_id, instrument)


# The researcher's own texts for the annotators of a campaign.


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


def texts_of(campaign: Campaign) -> StudyTexts:
    """Return the texts of a campaign; one query unless they were read with it."""
    found = getattr(campaign, "texts", None)
    if found is None:
        return NONE
    return StudyTexts(**{one.name: getattr(found, one.name) for one in fields(StudyTexts)})


# Texts for annotators: the current ones, amendments, and who accepted which.


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


def amended_texts_of(campaign: Campaign) -> ReadTexts:
    own = texts_of(campaign)
    return ReadTexts(
        campaign.public_title,
        campaign.public_about,
        campaign.contact,
        own.instructions,
        own.consent,
    )


def amended_texts_read(campaign_id: int) -> ReadTexts:
    return amended_texts_of(Campaign.objects.select_related("texts").get(pk=campaign_id))


def amended(campaign_id: int) -> tuple[Amendment, ...]:
    """Return what was changed after the opening, newest first."""
    return common_rows.logged(campaign_id, AMENDED)


def consents(campaign: Campaign) -> tuple[ConsentVersion, ...]:
    """Return the versions of the consent text since the opening, newest first."""
    number, text, until = consent_version(campaign), texts_of(campaign).consent, None
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


# Background questions about annotators, and their answers.


PART = "|"
MOST_QUESTIONS, MOST_ANSWERS = 8, 12
LONGEST_QUESTION, LONGEST_ANSWER = 300, 100  # characters
RATHER_NOT = ""  # stored where somebody would rather not say


@dataclass(frozen=True)
class BackgroundQuestion:
    """One question, and the answers of which people choose one, or none."""

    text: str
    answers: tuple[str, ...]


def parse(text: str) -> tuple[BackgroundQuestion, ...]:
    """Return the questions of a text: one a line, its answers after it, parted by `|`."""
    parts = ([one.strip() for one in line.split(PART)] for line in text.splitlines())
    return tuple(
        BackgroundQuestion(first, tuple(others)) for first, *others in parts if first or others
    )


def problem(text: str) -> str:
    """Return what is wrong with such a text; "" if nothing is."""
    questions = parse(text)
    if len(questions) > MOST_QUESTIONS:
        return f"There are at most {MOST_QUESTIONS} background questions, one a line."
    for n, one in enumerate(questions, 1):
        if wrong := _wrong(one):
            return f"Background question {n}: {wrong}"
    if len({one.text for one in questions}) < len(questions):
        return "Two background questions are the same."
    return ""


def _wrong(one: BackgroundQuestion) -> str:
    if not is_visible(one.text):
        return "the line must begin with the question."
    if not 2 <= len(one.answers) <= MOST_ANSWERS:
        return (
            f"2 to {MOST_ANSWERS} answers must follow, parted by {PART}. “I would rather not say” "
            "is always offered, too."
        )
    if not all(map(is_visible, one.answers)):
        return "an answer is empty."
    if len(set(one.answers)) < len(one.answers):
        return "two answers are the same."
    if len(one.text) > LONGEST_QUESTION or max(map(len, one.answers)) > LONGEST_ANSWER:
        return f"a question has at most {LONGEST_QUESTION} characters, an answer {LONGEST_ANSWER}."
    return ""


def sure(campaign_id: int) -> QuerySet[BackgroundAnswers]:
    """Return the answers of people whose identity is confirmed, in order of arrival.

    Somebody whose identity is not confirmed may have come under the name of another.
    """
    found = BackgroundAnswers.objects.filter(
        participation__campaign=campaign_id, participation__verified_at__isnull=False
    )
    return found.order_by("answered_at", "pk")


def of_people(campaign_id: int) -> dict[int, tuple[str, list[str]]]:
    """Return pseudonym and answers of each person who has judged, by annotator; one query.

    Who told it twice, in two paid units, is taken at their first word.
    """
    person = "participation__annotator"
    judged = Judgment.objects.filter(campaign=campaign_id, annotator=OuterRef(person))
    rows = sure(campaign_id).filter(Exists(judged))
    found: dict[int, tuple[str, list[str]]] = {}
    for who, *told in rows.values_list(person, f"{person}__pseudonym", "answers"):
        pseudonym, answers = told
        found.setdefault(who, (pseudonym, answers))
    return found


def summary(campaign: Campaign) -> list[tuple[BackgroundQuestion, list[tuple[str, int]], int]]:
    """Return each question, how many judging people gave each answer, and how many gave none."""
    questions = parse(texts_of(campaign).background)
    found = of_people(campaign.pk) if questions else {}
    told = []
    for number, one in enumerate(questions):
        n = Counter(answers[number] for _pseudonym, answers in found.values())
        told.append((one, [(answer, n[answer]) for answer in one.answers], n[RATHER_NOT]))
    return told


def background_rows(campaign: Campaign) -> Iterator[dict[str, str]]:
    """Yield one row for each person and question, for exports."""
    questions = parse(texts_of(campaign).background)
    told = of_people(campaign.pk) if questions else {}
    for pseudonym, answers in told.values():
        for question, answer in zip(questions, answers, strict=True):
            yield {"annotator": pseudonym, "question": question.text, "answer": answer}


# Which texts stood on somebody's page, and where, after they were rated.


class PageOrders:
    """The outputs on an annotator's page of a campaign, in their order; one query for all."""

    def __init__(self, campaign_id: int) -> None:
        rows = Output.objects.filter(campaign=campaign_id).order_by("pk")
        self._output, self._item = common_rows.columns(rows, id="i8", item="i8")
        self._by_item = np.argsort(self._item, kind="stable")
        self._items = self._item[self._by_item]

    def of(self, annotator_id: int, output_id: int) -> tuple[int, ...]:
        """Return the outputs of the page on which this annotator rated this output."""
        mine = self.beside(output_id)
        return tuple(sorted(mine, key=lambda one: instruments_base.place(annotator_id, one)))

    def beside(self, output_id: int) -> list[int]:
        """Return the outputs of this one's item, by their ids."""
        item = self._item[self._output.searchsorted(output_id)]
        first, end = self._items.searchsorted((item, item + 1))
        return [int(one) for one in self._output[self._by_item[first:end]]]


def pages(
    annotator_id: int, output_ids: Collection[int], *, ranks: bool
) -> dict[int, tuple[TextBeside, ...]]:
    """Return the texts of the page on which this annotator rated each output; one query.

    ranks: they ranked all of these texts, which stand here in the order of their numbers.
    """
    items = Output.objects.filter(pk__in=output_ids).values("item")
    of_item: dict[int, list[tuple[str, int, str]]] = defaultdict(list)
    for item, pk, text in Output.objects.filter(item__in=items).values_list("item", "pk", "text"):
        place = "" if ranks else instruments_base.place(annotator_id, pk)
        of_item[item].append((place, pk, text))
    return {
        rated: tuple(
            TextBeside(text, is_rated=pk == rated and not ranks)
            for _place, pk, text in sorted(texts)
        )
        for texts in of_item.values()
        for _place, rated, _text in texts
        if rated in output_ids
    }
