"""The life of a campaign: the only code that changes its status and its systems' samples."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.campaigns import facts, progress
from annotate.common import audit, locks, marks
from annotate.common.errors import Conflict
from annotate.crowds import batches, postings
from annotate.models import Assignment, Campaign, Posting, System
from annotate.models.base import CampaignStatus, CloseReason
from annotate.pay import promises
from annotate.pay.promise_queries import ended
from annotate.review import eligibility
from annotate.screening.screens import Settings
from annotate.studies import queries as studies_queries
from annotate.work import admission, leasing, picking, submitting

TRANSITIONS: dict[CampaignStatus, set[CampaignStatus]] = {
    CampaignStatus.DRAFT: {CampaignStatus.OPEN, CampaignStatus.CLOSED, CampaignStatus.ARCHIVED},
    CampaignStatus.OPEN: {CampaignStatus.PAUSED, CampaignStatus.CLOSING},
    CampaignStatus.PAUSED: {CampaignStatus.OPEN, CampaignStatus.CLOSING},
    CampaignStatus.CLOSING: {CampaignStatus.OPEN, CampaignStatus.CLOSED},
    CampaignStatus.CLOSED: {CampaignStatus.OPEN, CampaignStatus.ARCHIVED},
    CampaignStatus.ARCHIVED: set(),
}


def open_(campaign_id: int, *, actor_id: int | None = None) -> None:
    """Move draft or paused -> open."""
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        _require(campaign, CampaignStatus.DRAFT, CampaignStatus.PAUSED, verb="open")
        if campaign.gold_share and not picking.usable(campaign_id).exists():
            raise Conflict(
                "This campaign asks for gold items, and none is confirmed. Confirm some, or set "
                "their share to 0."
            )
        _move(
            campaign,
            CampaignStatus.OPEN,
            verb="open",
            actor_id=actor_id,
            opened_at=campaign.opened_at or timezone.now(),
            protocol=facts.protocol_of(campaign).as_data(),
            screening=Settings.from_dict(campaign.screening).to_dict(),  # defaults may change
        )
        submitting.begin(campaign)
        marks.mark(campaign_id, "opened")


def take_in(campaign_id: int, *, actor_id: int | None, **detail: Any) -> None:
    """Move draft -> closed, for judgments that were made elsewhere and are all stored."""
    with transaction.atomic():
        campaign, now = locks.campaign(campaign_id), timezone.now()
        _require(campaign, CampaignStatus.DRAFT, verb="take judgments in")
        _move(
            campaign,
            CampaignStatus.CLOSED,
            verb="import_judgments",
            actor_id=actor_id,
            opened_at=now,
            closed_at=now,
            protocol=facts.protocol_of(campaign).as_data(),
            detail=detail,
        )
        marks.mark(campaign_id, "closed")


def pause(campaign_id: int, *, actor_id: int | None = None) -> None:
    """Move open -> paused: there are no new leases; existing leases may still be submitted."""
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        _require(campaign, CampaignStatus.OPEN, verb="pause")
        _move(campaign, CampaignStatus.PAUSED, verb="pause", actor_id=actor_id)


def close(
    campaign_id: int, reason: CloseReason, *, actor_id: int | None = None, **detail: Any
) -> bool:
    """Move open or paused -> closing: nothing beyond the frontier is leased (data rule 7).

    The gaps before it are finished; `finish` follows once no lease is running. Returns False if the
    campaign had already left `open`.
    """
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status not in (CampaignStatus.OPEN, CampaignStatus.PAUSED):
            return False
        for system in campaign.systems.filter(stop_position=None):
            _stop(system)
        _move(
            campaign,
            CampaignStatus.CLOSING,
            verb="close",
            actor_id=actor_id,
            close_reason=reason,
            detail={"reason": reason, **detail},
        )
        marks.mark(campaign_id, "closing")
    return True


def finish(campaign_id: int, *, actor_id: int | None = None, **detail: Any) -> bool:
    """Move closing -> closed, after the drain or by hand. The audit counts unfinished items."""
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status != CampaignStatus.CLOSING:
            return False
        _move(
            campaign,
            CampaignStatus.CLOSED,
            verb="finish",
            actor_id=actor_id,
            closed_at=timezone.now(),
            detail=detail,
        )
        promises.end(campaign)
        marks.mark(campaign_id, "closed")
    return True


def resume(campaign_id: int, system_ids: list[int], **detail: Any) -> bool:
    """Move closing -> open for the systems whose drained interval is wider than its target."""
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status != CampaignStatus.CLOSING:
            return False
        System.objects.filter(campaign=campaign, pk__in=system_ids).update(stop_position=None)
        _move(campaign, CampaignStatus.OPEN, verb="resume", close_reason="", detail=detail)
        marks.mark(campaign_id, "resumed")
    return True


def reopen(campaign_id: int, *, actor_id: int, why: str) -> None:
    """Move closed -> open, by a person who gives a reason; every system collects again."""
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        _require(campaign, CampaignStatus.CLOSED, verb="reopen")
        if campaign.recorded:
            raise Conflict("Its judgments were made elsewhere, so it cannot collect more here.")
        campaign.systems.update(stop_position=None)
        _move(
            campaign,
            CampaignStatus.OPEN,
            verb="reopen",
            actor_id=actor_id,
            close_reason="",
            closed_at=None,
            detail={"why": why},
        )
        submitting.begin(campaign)
        marks.mark(campaign_id, "reopened")


def archive(campaign_id: int, *, actor_id: int) -> None:
    """Move draft or closed -> archived."""
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        _require(campaign, CampaignStatus.DRAFT, CampaignStatus.CLOSED, verb="archive")
        _move(campaign, CampaignStatus.ARCHIVED, verb="archive", actor_id=actor_id)


def end_draft(campaign: Campaign, *, actor_id: int, **changes: Any) -> None:
    """Move a locked draft -> archived because it is deleted (`annotate.campaigns.creating`)."""
    _move(campaign, CampaignStatus.ARCHIVED, verb="delete", actor_id=actor_id, **changes)


def stop_system(system_id: int, **detail: Any) -> bool:
    """End a system's sample at its frontier (data rule 8); False if it had already ended."""
    with transaction.atomic():
        system = System.objects.get(pk=system_id)
        campaign = locks.campaign(system.campaign_id)
        if campaign.status != CampaignStatus.OPEN or not _stop(system):
            return False
        audit.record(
            "stop_system", campaign_id=campaign.pk, subject=f"system:{system.name}", **detail
        )
    return True


def resume_system(system_id: int, **detail: Any) -> bool:
    """Let a stopped system of an open campaign collect again."""
    with transaction.atomic():
        system = System.objects.get(pk=system_id)
        campaign = locks.campaign(system.campaign_id)
        if campaign.status != CampaignStatus.OPEN:
            return False
        stopped = System.objects.filter(pk=system_id, stop_position__isnull=False)
        resumed = stopped.update(stop_position=None)
        if resumed:
            audit.record(
                "resume_system", campaign_id=campaign.pk, subject=f"system:{system.name}", **detail
            )
            marks.mark(campaign.pk, "resumed")  # judgments beyond the old stop count again
    return bool(resumed)


def drained(campaign_id: int) -> bool:
    """Return whether no lease runs, no gap can be leased and no review is open."""
    if progress.open_leases(campaign_id) or eligibility.waiting(campaign_id):
        return False
    campaign = Campaign.objects.get(pk=campaign_id)
    return not progress.free(campaign_id).exists() or bool(
        admission.blocked(campaign, for_now=False)
    )


def limit_reached(campaign_id: int) -> CloseReason | None:
    """Return the limit that closes an open campaign whatever its intervals are; None if none."""
    if reason := admission.blocked(Campaign.objects.get(pk=campaign_id), for_now=False):
        return reason
    if not progress.free(campaign_id).exists() and not progress.open_leases(campaign_id):
        return CloseReason.EXHAUSTED
    return None


def _stop(system: System) -> bool:
    going_on = System.objects.filter(pk=system.pk, stop_position=None)
    ranks = studies_queries.instrument_of(system.campaign).ranks
    return bool(going_on.update(stop_position=progress.frontier(system.pk, ranks=ranks)))


def _require(campaign: Campaign, *sources: CampaignStatus, verb: str) -> None:
    if campaign.status not in sources:
        raise Conflict(f"A campaign that is {campaign.status} cannot be asked to {verb}.")


def _move(
    campaign: Campaign,
    to: CampaignStatus,
    *,
    verb: str,
    actor_id: int | None = None,
    detail: dict[str, Any] | None = None,
    **changes: Any,
) -> None:
    """Change the status by a conditional UPDATE, and log it."""
    source = CampaignStatus(campaign.status)
    if to not in TRANSITIONS[source]:
        raise Conflict(f"A campaign cannot go from {source} to {to}.")

    def record() -> None:
        audit.record(verb, campaign_id=campaign.pk, actor_id=actor_id, **(detail or {}))

    mine = Campaign.objects.filter(pk=campaign.pk)
    if not audit.change(mine, TRANSITIONS, to, sources=[source], record=record, **changes):
        raise Conflict("Another user has changed this campaign meanwhile. Look at it again.")
    if to != CampaignStatus.OPEN:
        batches.stop_all(campaign.pk)


def expire_all() -> int:
    """End all expired leases, and mark campaigns whose deadline has passed."""
    now = timezone.now()
    due = Assignment.objects.filter(status=leasing.LEASED, expires_at__lte=now)
    campaigns = due.order_by().values_list("campaign_id", flat=True).distinct()
    n_ended = sum(leasing.expire_due(campaign_id, now=now) for campaign_id in campaigns)
    late = Campaign.objects.filter(status=Campaign.Status.OPEN, deadline__lte=now)
    for campaign_id in late.values_list("pk", flat=True):
        marks.mark(campaign_id, "deadline")
    return n_ended


def pay_promises() -> int:
    """Let promised bonuses of ended campaigns fall due; return how many.

    A campaign also does this when it ends. This run catches what was passed or restored at that
    moment.
    """
    n = 0
    for campaign_id in ended():
        with transaction.atomic():
            n += promises.end(locks.campaign(campaign_id))
    return n


def stop_expired() -> int:
    """Stop the postings whose time is over. Some crowds do not end them."""
    over = Posting.objects.filter(status=Posting.Status.OPEN, expires_at__lte=timezone.now())
    for posting in over.select_related("batch"):
        with transaction.atomic():
            locks.campaign(posting.batch.campaign_id)
            postings.stop(posting)
    return len(over)
