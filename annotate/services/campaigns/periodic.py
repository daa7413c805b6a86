"""What is done for all campaigns, periodically."""

from django.db import transaction
from django.utils import timezone

from annotate.models import Assignment, Campaign, Posting
from annotate.selectors.pay.promises import ended
from annotate.services import change_marks, locks
from annotate.services.marketplace import postings
from annotate.services.pay import promises
from annotate.services.work import leasing


def expire_all() -> int:
    """End all leases that are over, and mark campaigns whose deadline has passed."""
    now = timezone.now()
    due = Assignment.objects.filter(status=leasing.LEASED, expires_at__lte=now)
    campaigns = due.order_by().values_list("campaign_id", flat=True).distinct()
    n_ended = sum(leasing.expire_due(campaign_id, now=now) for campaign_id in campaigns)
    late = Campaign.objects.filter(status=Campaign.Status.OPEN, deadline__lte=now)
    for campaign_id in late.values_list("pk", flat=True):
        change_marks.mark(campaign_id, "deadline")
    return n_ended


def pay_promises() -> int:
    """Let the bonuses fall due that campaigns which are over have promised; return how many.

    A campaign does that when it ends: this is for what was passed or restored at that moment.
    """
    n = 0
    for campaign_id in ended():
        with transaction.atomic():
            n += promises.end(locks.campaign(campaign_id))
    return n


def stop_expired() -> int:
    """Stop the postings whose time is over: not every crowd ends them."""
    over = Posting.objects.filter(status=Posting.Status.OPEN, expires_at__lte=timezone.now())
    for posting in over.select_related("batch"):
        with transaction.atomic():
            locks.campaign(posting.batch.campaign_id)
            postings.stop(posting)
    return len(over)
