"""Puts people whom signals of the page list into the queue of reviews, and takes them out again.

A listed person works and is paid as before, and no campaign waits for a look at them. Such a review
has no flag: what signals say is read from their findings, as long as these are kept.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from annotate.models import Review, SignalFinding
from annotate.screening.signals import signals_on
from annotate.selectors.review.signal_evidence import waiting
from annotate.services import audit, locks
from annotate.services.review import signal_acts, states

BATCH = 500


def list_by_signals() -> int:
    """List people with signals that no reviewer has put aside; return how many are new.

    Reviewed people are left as they are, whatever the ruling was.
    """
    reviewed = Review.objects.filter(campaign=OuterRef("campaign"), annotator=OuterRef("annotator"))
    rows = SignalFinding.objects.filter(~Exists(reviewed), listed=True).select_related("campaign")
    new = [
        (row.campaign_id, row.annotator_id)
        for row in rows.order_by("pk").iterator(chunk_size=BATCH)
        if waiting(row) and signals_on(row.campaign.screening)
    ]
    return sum(_list(campaign_id, annotator_id) for campaign_id, annotator_id in new)


def _list(campaign_id: int, annotator_id: int) -> bool:
    with transaction.atomic():
        locks.campaign(campaign_id)
        if Review.objects.filter(campaign=campaign_id, annotator=annotator_id).exists():
            return False
        now = timezone.now()
        states.begin(campaign_id, annotator_id, now=now, to=Review.Status.LISTED)
        _record("list", campaign_id, annotator_id)
    return True


def put_aside(campaign_id: int, annotator_id: int, *, actor_id: int) -> bool:
    """Put the signals on somebody aside; who is in the queue for nothing else leaves it.

    False if there is nothing to put aside. The annotator is not told, and nothing changes for them.
    """
    with transaction.atomic():
        locks.campaign(campaign_id)
        done = signal_acts.put_aside(campaign_id, annotator_id, actor_id=actor_id)
        if done:
            unlist(campaign_id, annotator_id, actor_id=actor_id)
    return done


def unlist(campaign_id: int, annotator_id: int, *, actor_id: int | None = None) -> bool:
    """Take somebody out of the queue whom nothing but signals has put there."""
    with transaction.atomic():
        locks.campaign(campaign_id)
        if not states.end_listing(campaign_id, annotator_id):
            return False
        _record("unlist", campaign_id, annotator_id, actor_id=actor_id)
    return True


def _record(verb: str, campaign_id: int, annotator_id: int, *, actor_id: int | None = None) -> None:
    subject = f"annotator:{annotator_id}"
    audit.record(verb, campaign_id=campaign_id, actor_id=actor_id, subject=subject)


def unlist_forgotten() -> int:
    """Take out those whose signals have been erased; return how many."""
    kept = SignalFinding.objects.filter(
        campaign=OuterRef("campaign"), annotator=OuterRef("annotator"), listed=True
    )
    rows = states.listed_without_flag().filter(~Exists(kept))
    return sum(unlist(*key) for key in rows.values_list("campaign", "annotator"))
