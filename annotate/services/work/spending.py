"""Leases without the campaign's lock: they spend from what a lease under it allowed (decision 040).

`tried` opens the transaction and locks the person; the other functions run in it.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.models import Assignment, Campaign, Participation
from annotate.selectors.work import admission, beforehand, gold, terms, tutorial_runs
from annotate.selectors.work.picking import Picked
from annotate.selectors.work.side_by_side import picking
from annotate.selectors.work.standing import PersonStanding
from annotate.selectors.work.terms import CampaignTerms
from annotate.services import lease_allowances, locks, written_rows
from annotate.services.work import slots

T = TypeVar("T")
ATTEMPTS = 4  # where others begin the same items at the same moments, or allowances change


class Otherwise(Exception):
    """This needs the campaign's lock: undo the transaction, and begin again with it."""


class ItemBegun(Otherwise):
    """Somebody else began the item at the same moment, whose texts stand side by side."""


class NoneLeft(Otherwise):
    """Nothing is left of the allowance for these terms, or its rows are all in use."""


def tried(participation_id: int, act: Callable[[Participation], T]) -> T | None:
    """Do it in a transaction that locks the person; return None where it needs the campaign's lock.

    Where nothing is left of the allowance it is tried again once the campaign's lock was free, if
    leases are allowed by then. It does not hold that lock, so all who waited for it go on together.
    """
    for _attempt in range(ATTEMPTS):
        try:
            with transaction.atomic():
                return act(locks.person(participation_id))
        except ItemBegun:
            continue
        except NoneLeft:
            if not _allowed_by_now(participation_id):
                return None
        except (Otherwise, IntegrityError, Participation.DoesNotExist):
            return None
    return None


def _allowed_by_now(participation_id: int) -> bool:
    """Wait for the campaign's lock; return whether its last holder has allowed leases."""
    campaigns = Participation.objects.filter(pk=participation_id).values_list("campaign", flat=True)
    with transaction.atomic():
        campaign_id = locks.campaign_with_allowance(campaigns.get()).pk
        return lease_allowances.is_left(campaign_id)


def begin(who: Participation) -> CampaignTerms:
    """Return the terms; raises `Otherwise` if campaign, tutorial or unit may let no task follow."""
    known = terms.of(who.campaign_id)
    campaign, now = known.campaign, timezone.now()
    over = campaign.deadline is not None and now >= campaign.deadline
    if not known.version or campaign.status != Campaign.Status.OPEN or over:
        raise _anew(known)
    if admission.closed_unit(who) is not None or not _has_passed(known, who):
        raise Otherwise
    if beforehand.owed(known.campaign, who):
        raise Otherwise
    return known


def lease(
    known: CampaignTerms, who: Participation, now: PersonStanding, *, besides: int | None = None
) -> tuple[Assignment, Picked]:
    """Lease the next output; raises `Otherwise` where a limit is near or nothing is free.

    It is the last that the caller's transaction does.
    """
    cap = known.campaign.annotator_cap
    if now.barred or now.is_due or now.n_open >= admission.AT_ONCE:
        raise Otherwise
    if cap is not None and now.held >= cap:
        raise Otherwise
    if who.tasks is not None and now.judged + now.n_open >= who.tasks:
        raise Otherwise
    slot = _gold(known, who, now) or picking.pick(
        known.study.instrument, who, recent=now.recent, besides=besides, locked=True
    )
    if slot is None:
        raise Otherwise
    assignment = take(slot, known.campaign, who, now=timezone.now())
    if not lease_allowances.spend(who.campaign_id, version=known.version):
        raise _anew(known)
    return assignment, slot


def _gold(known: CampaignTerms, who: Participation, now: PersonStanding) -> Picked | None:
    """Return the gold item that this person gets now; None if it is not the time for one."""
    campaign, had = known.campaign, now.had_gold
    if had >= known.gold or not gold.is_due(campaign, who.annotator_id, held=now.held, had=had):
        return None
    return gold.pick(campaign, who.annotator_id)


def take(slot: Picked, campaign: Campaign, who: Participation, *, now: datetime) -> Assignment:
    """Lease a slot that was picked, or a gold item. It is locked, or its campaign is."""
    assignment = Assignment(
        campaign=campaign,
        participation=who,
        annotator_id=who.annotator_id,
        output_id=slot.output_id,
        gold_id=slot.gold_id,
        leased_at=now,
        expires_at=until(who, length(campaign)),
    )
    written_rows.add(assignment)
    if slot.pk is not None:
        _hold(slot.pk, assignment, begins=slot.begins)
    return assignment


def _hold(slot_id: int, assignment: Assignment, *, begins: bool) -> None:
    if begins:
        if not slots.begin(slot_id, assignment):
            raise ItemBegun
        return
    held = slots.take(slot_id, assignment.pk)
    assert held, "a slot was taken although it is locked"


def length(campaign: Campaign) -> timedelta:
    """Return for how long its leases hold."""
    return timedelta(minutes=campaign.lease_minutes)


def until(who: Participation, length: timedelta) -> datetime:
    """Return the end of a lease of this length that starts now."""
    end = timezone.now() + length
    return end if who.deadline_at is None else min(end, who.deadline_at)


def _anew(known: CampaignTerms) -> NoneLeft:
    terms.forget(known.campaign.pk)
    return NoneLeft()


def _has_passed(known: CampaignTerms, who: Participation) -> bool:
    if known.tutorial is None or who.annotator_id in known.passed:
        return True
    if tutorial_runs.step(known.campaign, who) != tutorial_runs.TutorialStep.PASSED:
        return False
    known.passed.add(who.annotator_id)
    return True
