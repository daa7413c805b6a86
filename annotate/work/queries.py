"""What is read of work: times, records of people, feedback, and what may be corrected."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.conf import settings
from django.db.models import Avg, Count, Q, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from numpy.typing import NDArray

from annotate.common.errors import NotFound
from annotate.common.lists import Listing
from annotate.instruments.base import Instrument, Material
from annotate.models import (
    Assignment,
    Campaign,
    Feedback,
    Flag,
    GoldAnswer,
    Judgment,
    Participation,
    ScreenedAnnotator,
)
from annotate.review import eligibility
from annotate.screening.screens import n_signs
from annotate.work import admission, tutorial_queries
from annotate.work import task as work_task
from annotate.work.admission import NoTask
from annotate.work.picking import beside, today

Floats = NDArray[np.float64]

LOOKED_BACK = timedelta(days=4)
MOST = 20_000  # judgments


def recent_work(campaign_id: int) -> tuple[Floats, Floats, Floats]:
    """Return the last four days' judgments, at most 20,000, as they were stored; one query.

    (T,) when they were submitted, in seconds since 1970. (T,) seconds from lease to submission.
    (M,) seconds at work on the page, where it said so.
    """
    rows = Judgment.objects.filter(
        campaign=campaign_id, submitted_at__gt=timezone.now() - LOOKED_BACK
    ).order_by("-pk")
    found = list(rows.values_list("submitted_at", "assignment__leased_at", "active_seconds")[:MOST])
    found.reverse()
    return (
        np.array([at.timestamp() for at, _leased, _active in found]),
        np.array([max(0.0, (at - leased).total_seconds()) for at, leased, _active in found]),
        np.array([active for _at, _leased, active in found if active is not None]),
    )


# What reviewers see of each of a few people in one line: time, agreement, flags, tutorial.


AGREEMENT = "agreement"  # the screen


@dataclass(frozen=True)
class PersonRecord:
    """seconds: active time of all judgments. agreement: as the screen last measured it.

    flags: how many screens have flagged the person. tutorial: the share of right first answers in
    the last round. None where something is not known.
    """

    seconds: float | None = None
    agreement: float | None = None
    flags: int = 0
    tutorial: float | None = None

    @property
    def told(self) -> bool:
        """Return whether there is more to tell than flags."""
        return any(one is not None for one in (self.seconds, self.agreement, self.tutorial))

    @property
    def minutes(self) -> float | None:
        return None if self.seconds is None else self.seconds / 60


def people_records_of(campaign_id: int, annotators: Collection[int]) -> dict[int, PersonRecord]:
    """Return the records of these people, in a constant number of queries."""
    rounds = tutorial_queries.tutorial_records_of(campaign_id, annotators)
    judged = Judgment.objects.filter(campaign=campaign_id, annotator__in=annotators).order_by()
    sums = judged.values("annotator").annotate(seconds=Sum("active_seconds"))
    seconds = dict(sums.values_list("annotator", "seconds"))
    screened = ScreenedAnnotator.objects.filter(campaign=campaign_id, annotator__in=annotators)
    agreement = {
        pk: verdict["value"]
        for pk, verdicts in screened.values_list("annotator", "verdicts")
        for verdict in verdicts
        if verdict["screen"] == AGREEMENT
    }
    flags: defaultdict[int, set[str]] = defaultdict(set)
    rows = Flag.objects.filter(review__campaign=campaign_id, review__annotator__in=annotators)
    for pk, screen in rows.values_list("review__annotator", "screen"):
        flags[pk].add(screen)
    return {
        pk: PersonRecord(
            seconds.get(pk),
            agreement.get(pk),
            n_signs(flags.get(pk, ())),
            rounds[pk][-1].share if pk in rounds else None,
        )
        for pk in annotators
    }


# Annotators' feedback about the work.


QUESTIONS = ("clarity", "enjoyment", "pay")


def given_today(participation_id: int) -> bool:
    return Feedback.objects.filter(participation=participation_id, at__gte=today()).exists()


def feedback(campaign_id: int, listing: Listing) -> dict[str, Any]:
    """Return what a page shows of a campaign's feedback.

    averages: (question, mean from 1, worst, to 5, or None, answers). comments: those of one page of
    `listing`, the newest first. A page tells neither who said it nor the hour, which could reveal a
    name.
    """
    rows = Feedback.objects.filter(participation__campaign=campaign_id)
    means = {f"mean_{name}": Avg(name) for name in QUESTIONS}
    counts = {f"n_{name}": Count(name) for name in QUESTIONS}
    found = rows.aggregate(**means, **counts, comments=Count("pk", filter=~Q(comment="")))
    listing = listing.found(found["comments"])
    comments = rows.exclude(comment="").order_by("-at", "-pk")[listing.rows]
    averages = [(name, found[f"mean_{name}"], found[f"n_{name}"]) for name in QUESTIONS]
    return {
        "averages": averages,
        "comments": comments,
        "listing": listing,
        "is_empty": not found["comments"] and not any(n for _name, _mean, n in averages),
    }


# The text that an annotator submitted last, and whether it may still be corrected.
#
# It writes nothing. `annotate.work.submitting` looks again under the locks.


MOST_CORRECTIONS = 5  # corrections of a text
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

    until: how long it may be. submitted_at: when it was submitted first.
    """

    assignment_id: int
    material: Material
    answered: Answered
    until: datetime
    submitted_at: datetime


def find_correction(
    participation_id: int, *, instrument: Instrument | None = None
) -> LastText | NoTask:
    """Return the text that this participation may correct now, or why there is none.

    With the study's instrument, with the texts that stand beside it.
    """
    who = Participation.objects.select_related("campaign").get(pk=participation_id)
    task = last_submitted(participation_id)
    if why := refusal(who.campaign, who, task, now=timezone.now()):
        return why
    assert task is not None, "without a task there is a reason"
    assert task.ended_at is not None, "it was submitted"
    found = answered(task.pk)
    material = work_task.judgment_material(task, who.campaign.output_form)
    if instrument is not None:
        material = beside(instrument, task, material)
    until = task.ended_at + settings.CORRECTION
    if who.deadline_at is not None:
        until = min(until, who.deadline_at - MARGIN)
    return too_many(found) or LastText(task.pk, material, found, until, task.ended_at)


def may_correct(participation_id: int) -> bool:
    """Return whether a text may be corrected now, as far as its page says so."""
    return isinstance(find_correction(participation_id), LastText)


def hand_in_at(participation_id: int) -> datetime | None:
    """Return until when a unit that is done waits before it is handed in; None: not at all.

    It waits only while its last text may be corrected.
    """
    found = find_correction(participation_id)
    if isinstance(found, NoTask):
        return None
    return min(found.until, found.submitted_at + settings.HAND_IN_WAIT)


def last_submitted(participation_id: int) -> Assignment | None:
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
) -> NoTask | None:
    """Return why this task, the last one of this participation, may not be corrected now."""
    if task is None or task.ended_at is None:
        message = _("You have not submitted a text yet, so there is nothing to correct.")
    elif over := admission.closed_unit(who):
        message = over.message
    elif campaign.status not in admission.COLLECTING:
        message = _("This study does not collect answers now, so yours stay as they are.")
    elif eligibility.released(campaign, who.annotator_id) or eligibility.barred(
        campaign.pk, who.annotator_id
    ):
        message = _("Your answers in this study cannot be changed at the moment.")
    elif now < task.ended_at + settings.CORRECTION:
        return None
    elif minutes := int(settings.CORRECTION.total_seconds() // 60):
        said = ngettext(
            "A text can be corrected for %(n)d minute after it was submitted. That time is over.",
            "A text can be corrected for %(n)d minutes after it was submitted. That time is over.",
            minutes,
        )
        message = said % {"n": minutes}
    else:
        message = _("Texts that were submitted cannot be corrected here.")
    return NoTask("not_correctable", message, final=True)


def too_many(found: Answered) -> NoTask | None:
    """Return why a text is not corrected again; None while it may be."""
    if found.answers <= MOST_CORRECTIONS:
        return None
    message = _("This text has been corrected several times. The last answer stays.")
    return NoTask("not_correctable", message, final=True)
