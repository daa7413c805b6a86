"""A judgment comes in, and the task after the next one goes out: one transaction, no campaign lock.

It does what nearly every submit needs: the lease holds, and another task may follow. Everything
else (late work, limits, the last tasks) is undone and done again by `judgments` and `leasing`,
which lock the campaign and say what is the matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotate.models import Assignment, Participation
from annotate.selectors.work import standing, task_page
from annotate.selectors.work.task_page import Figures, SavedDraft, Work
from annotate.services.pay import promises
from annotate.services.work import judgments, leasing, spending
from annotate.services.work.judgments import Receipt
from annotate.services.work.page_signals import PageSent


@dataclass(frozen=True)
class Following:
    """What comes after a task.

    next: the assignment that comes now; None where the page must ask what there is.
    coming: the task that was leased last; None if none was. It may be `next` itself.
    """

    study: task_page.Study
    figures: Figures
    next: int | None
    coming: Work | None


@dataclass(frozen=True)
class Handover(Following):
    """What a submit brings back."""

    receipt: Receipt


def submit(
    assignment_id: int,
    *,
    participation_id: int,
    raw: Mapping[str, Any],
    active_seconds: float | None,
    version: str,
    page: PageSent | None = None,
) -> Handover:
    """Store a response as a judgment, once, and lease the task after the next one.

    Raises as `judgments.submit` does.
    """
    given = judgments.HandedIn(raw, active_seconds, version, page)
    if done := spending.tried(participation_id, lambda who: _at_once(assignment_id, who, given)):
        return done
    receipt = judgments.submit(
        assignment_id,
        participation_id=participation_id,
        raw=raw,
        active_seconds=active_seconds,
        version=version,
        page=page,
    )
    after = what_follows(participation_id)
    return Handover(after.study, after.figures, after.next, after.coming, receipt)


def what_follows(participation_id: int) -> Following:
    """Lease the task after the next one under the campaign's lock, or the next one.

    What comes before the next task, such as a changed consent text, is asked on a page.
    """
    visit = task_page.visit(participation_id)
    if visit.owed:
        return Following(visit.study, visit.figures, None, None)
    waiting = task_page.reserved(participation_id)
    if waiting is None:
        got = leasing.lease(participation_id)
    else:
        got = leasing.lease_ahead(participation_id, after=waiting)
    coming = task_page.current(got, visit.study) if isinstance(got, Assignment) else None
    if waiting is None and coming is not None:
        waiting = coming.id
    return Following(visit.study, visit.figures, waiting, coming)


def _at_once(assignment_id: int, who: Participation, given: judgments.HandedIn) -> Handover:
    known = spending.begin(who)
    receipt = judgments.store_in_time(assignment_id, who, known, given)
    if receipt is None:
        raise spending.Otherwise
    now = standing.of(who, now=timezone.now())
    if now.owed:
        promises.fall_due(promises.locked(known.campaign, who.annotator_id), known.campaign)
    assignment, slot = spending.lease(known, who, now)
    draft = task_page.draft(assignment) if slot.has_draft else SavedDraft(0, {})
    coming = Work(assignment.pk, slot.material, draft)
    figures = Figures(now.judged, now.judged_today, now.earned_today, "", who.tasks)
    return Handover(known.study, figures, now.waiting or coming.id, coming, receipt)
