"""A judgment comes in, and the task after the next one goes out: one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.models import Campaign, Participation
from annotate.selectors.work import admission, beforehand, standing, task_page
from annotate.selectors.work.picking import Picked
from annotate.selectors.work.task_page import Figures, Work
from annotate.services import locks, totals
from annotate.services.pay import promises
from annotate.services.work import judgments, leasing
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


def submit(
    assignment_id: int,
    *,
    participation_id: int,
    raw: Mapping[str, Any],
    active_seconds: float | None,
    version: str,
    page: PageSent | None = None,
) -> tuple[Receipt, Following]:
    """Store a response as a judgment, once, and lease the task after the next one.

    Raises as `judgments.submit` does.
    """
    given = judgments.HandedIn(raw, active_seconds, version, page)

    def act(who: Participation, alone: bool) -> tuple[Receipt, Following]:
        study = task_page.study_of(who.campaign)
        receipt, due = judgments.store(assignment_id, who, given, study.instrument, alone=alone)
        return receipt, _follow(who, study, due, alone=alone)

    return judgments.in_turn(participation_id, act)


def what_follows(participation_id: int) -> Following:
    """Lease the task after the next one, or the next one."""
    try:
        return _after(participation_id, alone=False)
    except leasing.Alone:
        return _after(participation_id, alone=True)


@transaction.atomic
def _after(participation_id: int, *, alone: bool) -> Following:
    who = locks.person(participation_id, alone=alone)
    return _follow(who, task_page.study_of(who.campaign), {}, alone=alone)


def _follow(
    who: Participation, study: task_page.Study, due: dict[str, Any], *, alone: bool
) -> Following:
    """Lease the next task of a locked person. due: what else this transaction adds to the totals.

    What comes before the next task, such as a changed consent text, is asked on a page.
    """
    leasing.expire(who.campaign_id, now=timezone.now())
    submitted = bool(due)
    if alone and due:  # limits are read from the totals now, and nobody else changes them
        totals.change(who.campaign_id, **due)
        due = {}
    now = standing.of(who, now=timezone.now())
    picked, coming, waiting = None, None, now.waiting
    if now.n_open < admission.AT_ONCE and not _keeps(who.campaign, waiting):
        picked, within = leasing.choose(who, now, study.instrument, alone=alone)
    if isinstance(picked, Picked):
        assignment = leasing.take(picked, who)
        leasing.count(who, picked, within, **due)
        coming = task_page.current(assignment, study, has_draft=picked.has_draft)
        waiting = waiting or coming.id
    elif due:
        totals.change(who.campaign_id, **due)
    if coming is None and now.n_open > 1:
        coming = _open_beside(who, waiting, study)
    if submitted:
        promises.fall_due(who.campaign, who.annotator_id)
    if isinstance(picked, admission.Nothing):
        promises.look(who.campaign, who.annotator_id)
    if beforehand.owed(who.campaign, who):
        waiting = None
    figures = task_page.figures_of(who, now, goes_on=coming is not None)
    return Following(study, figures, waiting, coming)


def _open_beside(who: Participation, waiting: int | None, study: task_page.Study) -> Work | None:
    """Return the open task that is not the next one."""
    mine = admission.open_of(who.pk).select_related("participation", "output__item", "gold")
    found = mine.exclude(pk=waiting or 0).order_by("leased_at", "pk").first()
    return None if found is None else task_page.current(found, study)


def _keeps(campaign: Campaign, waiting: int | None) -> bool:
    """Return whether a closing campaign keeps its slots for people who ask for a task now."""
    return campaign.status == Campaign.Status.CLOSING and waiting is not None
