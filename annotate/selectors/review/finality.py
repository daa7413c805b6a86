"""When a ruling is final. Until then no page of review shows what it does to the estimates.

It is final once the time to appeal against it has passed, and an appeal made in that time has been
answered; or once the campaign is closed. It can be undone after that too, but that needs a reason
and is counted apart.
"""

from datetime import datetime

from django.utils import timezone

from annotate.models import Review
from annotate.selectors.review import eligibility


def final_from(
    *, since: datetime, closed_at: datetime | None, appealed_at: datetime | None
) -> datetime | None:
    """Return when a ruling becomes final; None: not before the open appeal is answered.

    since: of the last flag or ruling of the review. appealed_at: of the appeal that waits.
    """
    limit = since + eligibility.TO_APPEAL
    if closed_at is not None:
        return max(closed_at, since)
    return None if appealed_at is not None and appealed_at <= limit else limit


def is_final(review: Review) -> bool:
    """Return whether what was ruled in this review is final now."""
    waiting = review.appeals.filter(answered_at=None).values_list("made_at", flat=True).first()
    at = final_from(
        since=eligibility.since(review), closed_at=review.campaign.closed_at, appealed_at=waiting
    )
    return at is not None and at <= timezone.now()
