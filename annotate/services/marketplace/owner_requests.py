"""What owners request of their crowd: a look now, or another try of what it refused."""

from dataclasses import dataclass

from django.db import transaction

from annotate.errors import Conflict
from annotate.models import Operation
from annotate.selectors.marketplace import watching
from annotate.services import announcing, audit
from annotate.services.outbox import delivery


def look(campaign_id: int, *, actor_id: int) -> int:
    """Let workers compare the campaign's postings with the crowd soon; return how many."""
    with transaction.atomic():
        found = watching.at_the_crowd(campaign_id)
        for posting_id in found:
            announcing.posting(posting_id)
        audit.record("look", campaign_id=campaign_id, actor_id=actor_id, postings=len(found))
    return len(found)


@dataclass(frozen=True)
class Retried:
    """How many are tried again; `kept`: why others are not, each reason once."""

    n: int
    kept: tuple[str, ...]


def retry_refused(campaign_id: int, *, actor_id: int) -> Retried:
    """Try again all that the crowd refused in a campaign, as far as it still may happen."""
    rows = Operation.objects.filter(campaign=campaign_id, status=Operation.Status.REFUSED)
    n, kept = 0, []
    for pk in rows.order_by("pk").values_list("pk", flat=True):
        try:
            delivery.retry(pk, actor_id=actor_id)
        except Conflict as refused:
            kept.append(refused.message)
        else:
            n += 1
    return Retried(n, tuple(dict.fromkeys(kept)))
