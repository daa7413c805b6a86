"""The newest of a long history, looked up for each system: the history itself is not read."""

from collections.abc import Sequence
from typing import Any

from django.db.models import F

from annotate.models import System

OTHER = "other"  # the second system of a pair, for `OuterRef`


def by_system(campaign_id: int, *found: Any) -> list[int]:
    """Return the ids that these expressions find for the systems of a campaign; one query."""
    return _ids(System.objects.filter(campaign=campaign_id), found)


def by_pair(campaign_id: int, *found: Any) -> list[int]:
    """Return the ids that they find for each system and `OTHER`, in both orders; one query."""
    systems = System.objects.filter(campaign=campaign_id)
    return _ids(systems.annotate(**{OTHER: F("campaign__systems")}), found)


def _ids(systems: Any, found: Sequence[Any]) -> list[int]:
    named = {f"found_{n}": one for n, one in enumerate(found)}
    rows = systems.order_by().annotate(**named).values_list(*named)
    return [pk for row in rows for pk in row if pk is not None]
