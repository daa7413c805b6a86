"""A reviewer's acts on people whom signals list, other than rulings."""

from django.db import transaction

from annotate.models import SignalFinding
from annotate.selectors.review.signal_evidence import listing
from annotate.services import audit


def put_aside(campaign_id: int, annotator_id: int, *, actor_id: int) -> bool:
    """Take somebody off the list until other evidence comes; False if they are not on it.

    The annotator is not told, and nothing changes for them.
    """
    with transaction.atomic():
        mine = SignalFinding.objects.filter(campaign=campaign_id, annotator=annotator_id)
        row = mine.select_for_update().first()
        if row is None or not (new := listing(row) - set(row.aside)):
            return False
        mine.update(aside=sorted(listing(row) | set(row.aside)))
        audit.record(
            "put_signals_aside",
            campaign_id=campaign_id,
            actor_id=actor_id,
            subject=f"annotator:{annotator_id}",
            kinds=sorted(new),
        )
    return True
