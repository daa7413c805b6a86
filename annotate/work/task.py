"""What an annotator's page shows: the study, the visit, the task and its draft."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from django.db.models import OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.campaigns import facts
from annotate.common.content import TextForm
from annotate.common.errors import NotFound
from annotate.crowds.prices import ZERO
from annotate.instruments.base import Instrument, Material
from annotate.models import Assignment, Campaign, Draft, LedgerEntry, Participation, SignalKey
from annotate.pay.tallies import MONEY
from annotate.review import eligibility
from annotate.screening.signals import signals_on
from annotate.studies import queries as studies_queries
from annotate.studies.queries import StudyTexts
from annotate.work import picking
from annotate.work.picking import TaskCounts, today
from annotate.work.picking import beside as texts_beside


def begin_of(assignment: Assignment) -> datetime:
    """Return when an assignment that was read `with_begin` was first seen."""
    before: datetime | None = vars(assignment)["ended_before"]
    return assignment.started_at or max(assignment.leased_at, before or assignment.leased_at)


def judgment_material(assignment: Assignment, form: str = TextForm.PLAIN) -> Material:
    """Return what the annotator is shown: of an output, whose item must be loaded, or of gold.

    form: the campaign's `output_form`.
    """
    who, gold, output = assignment.annotator_id, assignment.gold, assignment.output
    if gold is not None:
        return facts.shown(who, f"gold {gold.pk}", gold.text, gold, form)
    assert output is not None, "an assignment has an output or a gold item"
    return facts.shown(who, str(output.pk), output.text, output.item, form, output.words)


def with_begin(rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Add when the task before was done or given back.

    A page that has a task in hand shows it at that moment, and says so to nobody.
    """
    done = (*Assignment.JUDGED, Assignment.Status.RETURNED)
    before = Assignment.objects.filter(participation=OuterRef("participation"), status__in=done)
    ended = before.exclude(pk=OuterRef("pk")).order_by("-ended_at").values("ended_at")[:1]
    return rows.annotate(ended_before=Subquery(ended))


# The key with which a campaign's networks and devices are hashed, while it collects.


OVER = (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED)


def signal_keys_of(campaign: Campaign) -> bytes | None:
    """Return the key; None where signals are off, and after closing. No query if they are off."""
    if not signals_on(campaign.screening) or campaign.status in OVER:
        return None
    key = SignalKey.objects.filter(campaign=campaign).values_list("key", flat=True).first()
    return None if key is None else bytes(key)


# The steps before a person's next task: consent, then background questions.


Owed = Literal["", "consent", "background"]


def owed(campaign: Campaign, who: Participation) -> Owed:
    """Return what comes before this person's next task; "" once nothing does."""
    told = studies_queries.texts_of(campaign)
    if told.consent and not has_consented(who, studies_queries.consent_version(campaign)):
        return "consent"
    if told.background and who.background_at is None:
        return "background"
    return ""


def has_consented(who: Participation, version: int) -> bool:
    """Return whether this person has accepted this version of the consent text."""
    return who.consented_at is not None and who.consented_to == version


# The contents of an annotator's page: the study, the visit, the task and its draft.


@dataclass(frozen=True)
class Study:
    """A campaign as annotators see it."""

    id: int
    title: str
    instrument: Instrument
    language: str
    contact: str
    reward: Decimal
    lease_minutes: int
    annotator_cap: int | None  # tasks of a person, with gold items
    over: bool
    tutorial_bonus: Decimal
    bonus_after: int = 0
    open_link_bonus: bool = False
    failed_try_pay: Decimal = Decimal(0)
    crowd: str = "link"
    currency: str = "USD"
    output_form: str = TextForm.PLAIN
    input_form: str = TextForm.PLAIN
    shows_input: bool = False
    shows_reference: bool = False
    about: str = ""  # the researcher's own sentence; "": the instrument's
    links_number: int = 0  # links of an earlier number are withdrawn
    signals: bool = False  # whether the page counts signals, which it then says
    texts: StudyTexts = studies_queries.NONE
    consent_version: int = 1
    instructions_at: datetime | None = None  # when the researcher's instructions were amended

    @property
    def told(self) -> str:
        """Return what changes with the texts that a page has shown: it is loaded again then."""
        told = (self.title, self.contact, self.texts.instructions, self.consent_version)
        return hashlib.sha256(repr(told).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class Figures:
    """What stands around a task and changes with each one.

    judged, earned: under the participation. Today's figures include all participations of the
    person in this study; only this one while the person's identity is not confirmed.
    barred: why no further task follows (annotate/review/eligibility.py), or "".
    tasks: of its paid unit; None by link.
    """

    judged: int
    judged_today: int
    earned: Decimal
    earned_today: Decimal
    barred: str
    tasks: int | None


@dataclass(frozen=True)
class Visit:
    """One participation: the person, the study, and the figures so far."""

    id: int
    study: Study
    pseudonym: str
    figures: Figures
    is_sure: bool  # the person's identity is confirmed
    is_new: bool = False  # has not judged in this study yet
    unit: Participation | None = None  # on a marketplace, with its posting and batch
    owed: Owed = ""  # what comes before the next task
    consented_at: datetime | None = None  # when a version of the consent text was accepted
    has_new_instructions: bool = False  # amended since the last task


@dataclass(frozen=True)
class Work:
    """The current task, and what was entered so far, which may be a draft that is not stored."""

    id: int
    material: Material
    draft: Draft


BESIDE = ("campaign__texts", "annotator", "posting__batch")


def study(campaign_id: int) -> Study:
    return _study(pk=campaign_id)


def study_at(participation_id: int) -> Study:
    """Return the study of a participation; one query."""
    return _study(participations=participation_id)


def _study(**which: int) -> Study:
    try:
        return study_of(Campaign.objects.select_related("texts").get(**which))
    except Campaign.DoesNotExist:
        raise NotFound(_("This study does not exist any more.")) from None


def visit(participation_id: int) -> Visit:
    try:
        who = Participation.objects.select_related(*BESIDE).get(pk=participation_id)
    except Participation.DoesNotExist:
        raise NotFound(_("This study does not exist any more.")) from None
    now = picking.standing_of(who, now=timezone.now())
    study = study_of(who.campaign)
    amended_at = study.instructions_at if study.texts.instructions else None
    return Visit(
        who.pk,
        study,
        who.annotator.pseudonym,
        figures_of(who, now, goes_on=False),
        who.is_sure,
        is_new=now.begun_at is None,
        unit=None if who.posting is None else who,
        owed=owed(who.campaign, who),
        consented_at=who.consented_at,
        has_new_instructions=bool(amended_at and now.begun_at and now.begun_at < amended_at),
    )


def current(assignment: Assignment, study: Study, *, has_draft: bool = True) -> Work:
    """Return a task of this study. has_draft: False where there is certainly none."""
    shown = judgment_material(assignment, study.output_form)
    material = texts_beside(study.instrument, assignment, shown)
    return Work(assignment.pk, material, draft(assignment) if has_draft else no_draft())


def no_draft(data: dict[str, Any] | None = None) -> Draft:
    """Return a draft that is not stored."""
    return Draft(revision=0, data=data or {})


def draft(assignment: Assignment) -> Draft:
    """Return its draft, or what the same person entered before an earlier lease on it expired.

    A draft from another unit is used only if this person's identity is confirmed.
    """
    if (mine := Draft.objects.filter(assignment=assignment).first()) is not None:
        return mine
    if assignment.output_id is None:
        return no_draft()  # a gold item is leased to a person once
    earlier = Draft.objects.filter(
        assignment__annotator=assignment.annotator_id, assignment__output=assignment.output_id
    ).order_by("-saved_at")
    if not assignment.participation.is_sure:
        earlier = earlier.filter(assignment__participation=assignment.participation_id)
    found = earlier.first()
    return no_draft(found.data if found else None)


def example(study: Study, material: Material | None = None) -> Work:
    """Return the instrument's own example, or `material`, in place of a task; nothing is stored."""
    return Work(0, material or study.instrument.example, no_draft())


def study_of(campaign: Campaign) -> Study:
    """Return a campaign as annotators see it."""
    return Study(
        id=campaign.pk,
        title=campaign.public_title,
        about=campaign.public_about,
        instrument=studies_queries.instrument_of(campaign),
        language=campaign.language,
        output_form=campaign.output_form,
        input_form=campaign.input_form,
        shows_input=campaign.shows_input,
        shows_reference=campaign.shows_reference,
        contact=campaign.contact,
        reward=campaign.reward,
        lease_minutes=campaign.lease_minutes,
        annotator_cap=picking.most_tasks(campaign),
        tutorial_bonus=campaign.tutorial_bonus,
        bonus_after=campaign.bonus_after,
        open_link_bonus=campaign.open_link_bonus,
        failed_try_pay=campaign.failed_try_pay,
        over=campaign.status in (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED),
        crowd=campaign.crowd,
        currency=campaign.currency,
        links_number=campaign.links_number,
        signals=signals_on(campaign.screening),
        texts=studies_queries.texts_of(campaign),
        consent_version=studies_queries.consent_version(campaign),
        instructions_at=studies_queries.instructions_at(campaign),
    )


def figures_of(who: Participation, now: TaskCounts, *, goes_on: bool) -> Figures:
    """Return what stands around the next task. goes_on: whether one was leased just now."""
    mine = LedgerEntry.objects.filter(
        campaign=who.campaign_id, participation__annotator=who.annotator_id
    )
    here = Q(participation=who)
    shown = Q(at__gte=today()) & (Q() if who.is_sure else here)
    earned, earned_today = (
        Coalesce(Sum("amount", filter=which), ZERO, output_field=MONEY) for which in (here, shown)
    )
    sums = mine.aggregate(earned=earned, earned_today=earned_today)
    barred = "" if goes_on else eligibility.barred(who.campaign_id, who.annotator_id)
    return Figures(
        judged=now.judged,
        judged_today=now.judged_today,
        barred=barred if not barred or who.is_sure else eligibility.HIDDEN,
        tasks=who.tasks,
        **{name: total.quantize(ZERO) for name, total in sums.items()},
    )
