"""What owners set going at their crowd: a look at it now, another try of what it refused."""

from django.db import transaction

from annotate.errors import Conflict
from annotate.models import Operation, Posting
from annotate.services import audit, outbox
from annotate.signals import posting_changed

AT_THE_CROWD = (Posting.Status.OPEN, Posting.Status.DRAINING)


def look(campaign_id: int, *, actor_id: int) -> int:
    """Let workers compare the campaign's postings with the crowd soon; return how many."""
    rows = Posting.objects.filter(batch__campaign=campaign_id, status__in=AT_THE_CROWD)
    with transaction.atomic():
        found = list(rows.exclude(external_id="").values_list("pk", flat=True))
        for posting_id in found:
            _announce(posting_id)
        audit.record("look", campaign_id=campaign_id, actor_id=actor_id, postings=len(found))
    return len(found)


def retry_refused(campaign_id: int, *, actor_id: int) -> int:
    """Try again all that the crowd refused in a campaign; return how many."""
    rows = Operation.objects.filter(campaign=campaign_id, status=Operation.Status.REFUSED)
    return sum(_retry(pk, actor_id) for pk in rows.values_list("pk", flat=True))


def _retry(operation_id: int, actor_id: int) -> bool:
    try:
        outbox.retry(operation_id, actor_id=actor_id)
    except Conflict:  # somebody else was quicker with this one
        return False
    return True


def _announce(posting_id: int) -> None:
    transaction.on_commit(
        lambda: posting_changed.send_robust(sender=None, posting_id=posting_id), robust=True
    )
