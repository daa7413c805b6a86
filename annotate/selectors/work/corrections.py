"""The text that an annotator submitted last, and whether it may still be corrected.

It writes nothing. `services.work.correcting` looks again under the locks.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.errors import NotFound
from annotate.instruments.base import Instrument, Material
from annotate.models import Assignment, Campaign, GoldAnswer, Judgment, Participation
from annotate.selectors.review import eligibility
from annotate.selectors.work import admission, in_hand
from annotate.selectors.work.admission import Nothing
from annotate.selectors.work.side_by_side.texts import beside

MOST = 5  # corrections of a text
MARGIN = timedelta(minutes=1)  # a unit is handed in at least so long before its time is over


@dataclass(frozen=True)
class Answered:
    """What was submitted for a task so far.

    fact: the judgment that counts, or the answer to a gold item. answers: how many were submitted,
    with corrections. response: the last one, submitted at `at`.
    """

    fact: Judgment | GoldAnswer
    answers: int
    response: dict[str, Any]
    at: datetime


@dataclass(frozen=True)
class LastText:
    """The text that may be corrected: what its annotator was shown, and what was answered.

    until: how long it may be.
    """

    assignment_id: int
    material: Material
    answered: Answered
    until: datetime


def find(participation_id: int, *, instrument: Instrument | None = None) -> LastText | Nothing:
    """Return the text that this participation may correct now, or why there is none.

    With the study's instrument, with the texts that stand beside it.
    """
    who = Participation.objects.select_related("campaign").get(pk=participation_id)
    task = last(participation_id)
    if why := refusal(who.campaign, who, task, now=timezone.now()):
        return why
    assert task is not None, "without a task there is a reason"
    assert task.ended_at is not None, "it was submitted"
    found, material = answered(task.pk), in_hand.material(task)
    if instrument is not None:
        material = beside(instrument, task, material)
    return too_many(found) or LastText(task.pk, material, found, _until(who, task.ended_at))


def _until(who: Participation, ended_at: datetime) -> datetime:
    """Return until when a text that was submitted at this time may be corrected."""
    until = ended_at + settings.CORRECTION
    return until if who.deadline_at is None else min(until, who.deadline_at - MARGIN)


def may(participation_id: int) -> bool:
    """Return whether a text may be corrected now, as far as its page says so."""
    return isinstance(find(participation_id), LastText)


def hand_in_at(participation_id: int) -> datetime | None:
    """Return until when a unit that is done waits before it is handed in; None: not at all.

    It waits only while its last text may be corrected.
    """
    found = find(participation_id)
    if isinstance(found, Nothing):
        return None
    ended_at = Assignment.objects.values_list("ended_at", flat=True).get(pk=found.assignment_id)
    assert ended_at is not None, "it was submitted"
    return min(found.until, ended_at + settings.HAND_IN_WAIT)


def last(participation_id: int) -> Assignment | None:
    """Return the task that was submitted last under a participation, with what it is about."""
    mine = Assignment.objects.filter(
        participation=participation_id, status__in=Assignment.JUDGED
    ).select_related("campaign", "participation", "output__item", "gold")
    return mine.order_by("-ended_at", "-pk").first()


def answered(assignment_id: int) -> Answered:
    """Return what was submitted for a task; `NotFound` if nothing was."""
    chain = Judgment.every.filter(assignment=assignment_id)
    if (judgment := Judgment.objects.filter(assignment=assignment_id).first()) is not None:
        return Answered(judgment, chain.count(), judgment.response, judgment.submitted_at)
    gold = GoldAnswer.objects.filter(assignment=assignment_id).first()
    if gold is None:
        raise NotFound(_("This is not one of your tasks."))
    later = gold.corrections.order_by("number").last()
    if later is None:
        return Answered(gold, 1, gold.response, gold.submitted_at)
    return Answered(gold, 1 + later.number, later.response, later.submitted_at)


def refusal(
    campaign: Campaign, who: Participation, task: Assignment | None, *, now: datetime
) -> Nothing | None:
    """Return why this task, the last one of this participation, may not be corrected now."""
    if task is None or task.ended_at is None:
        return _no(_("You have not submitted a text yet, so there is nothing to correct."))
    if over := admission.closed_unit(who):
        return _no(over.message)
    if campaign.status not in admission.COLLECTING:
        return _no(_("This study does not collect answers now, so yours stay as they are."))
    if eligibility.barred(campaign.pk, who.annotator_id):
        return _no(_("Your answers in this study cannot be changed at the moment."))
    if now >= task.ended_at + settings.CORRECTION:
        return _no(_time_over())
    return None


def too_many(found: Answered) -> Nothing | None:
    """Return why a text is not corrected again; None while it may be."""
    if found.answers <= MOST:
        return None
    return _no(_("This text has been corrected several times. The last answer stays."))


def _time_over() -> str:
    minutes = int(settings.CORRECTION.total_seconds() // 60)
    if not minutes:
        return _("Texts that were submitted cannot be corrected here.")
    return ngettext(
        "A text can be corrected for %(n)d minute after it was submitted. That time is over.",
        "A text can be corrected for %(n)d minutes after it was submitted. That time is over.",
        minutes,
    ) % {"n": minutes}


def _no(message: str) -> Nothing:
    return Nothing("not_correctable", message, final=True)
