"""The answers to gold items, for exports."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Count

from annotate.models import GoldAnswer
from annotate.selectors.campaigns import exports


def answers(now: exports.Moment) -> Iterator[dict[str, Any]]:
    """Yield the answers to gold items, in order of arrival. They are no judgments."""
    rows = GoldAnswer.objects.filter(campaign=now.campaign).order_by("pk")
    rows = rows.annotate(n=Count("corrections"))
    names = {
        "gold": "item__name",
        "kind": "item__kind",
        "annotator": "annotator__pseudonym",
        "submitted_at": "submitted_at",
        "elapsed_seconds": "elapsed_seconds",
        "active_seconds": "active_seconds",
        "text": "item__text",
        "expected": "item__expected",
        "response": "response",
        "right": "right",
        "corrections": "n",
    }
    for row in rows.values_list(*names.values()).iterator(chunk_size=exports.TEXTS):
        yield dict(zip(names, row, strict=True))
