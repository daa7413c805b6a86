"""The newest of a long history, looked up by an index: the history itself is not read."""

from collections.abc import Sequence
from typing import Any

from django.db.models import F

from annotate.models import Campaign, System

OTHER = "other"  # the second system of a pair, for `OuterRef`


def by_campaign(*found: Any) -> list[int]:
    """Return the ids that these expressions find for all campaigns; one query."""
    return _ids(Campaign.objects.all(), found)


def by_system(campaign_ids: Sequence[int], *found: Any) -> list[int]:
    """Return the ids that these expressions find for the systems of campaigns; one query."""
    return _ids(System.objects.filter(campaign__in=campaign_ids), found)


def by_pair(campaign_ids: Sequence[int], *found: Any) -> list[int]:
    """Return the ids that they find for each system and `OTHER`, in both orders; one query."""
    systems = System.objects.filter(campaign__in=campaign_ids)
    return _ids(systems.annotate(**{OTHER: F("campaign__systems")}), found)


def _ids(rows: Any, found: Sequence[Any]) -> list[int]:
    if not found:
        return []
    named = {f"found_{n}": one for n, one in enumerate(found)}
    ids = rows.order_by().annotate(**named).values_list(*named)
    return [pk for row in ids for pk in row if pk is not None]
