"""Paid units of marketplaces, as plain numbers."""

from annotate.models import Assignment


def judged(participation_id: int) -> int:
    """Return how many tasks are done under this participation, its lapsed ones left out."""
    return Assignment.objects.filter(
        participation=participation_id, status__in=Assignment.JUDGED
    ).count()
