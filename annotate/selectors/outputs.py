"""Texts and what was given with them, for automatic metrics."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from annotate.models import Output


@dataclass(frozen=True)
class OutputText:
    """One output with its item's reference and input, and the metric values given at upload."""

    output_id: int
    text: str
    reference: str
    input: str
    given: dict[str, float]

    @property
    def paragraphs(self) -> list[str]:
        """The input's paragraphs: what stands between empty lines."""
        return [part for part in re.split(r"\n\s*\n", self.input) if part.strip()]


def total(campaign_id: int) -> int:
    """Return how many different outputs the campaign has."""
    return Output.objects.filter(campaign=campaign_id).count()


def texts(campaign_id: int) -> Iterator[OutputText]:
    """Yield every output in ascending id, without holding them all."""
    rows = (
        Output.objects.filter(campaign=campaign_id)
        .order_by("pk")
        .values_list("pk", "text", "item__reference", "item__input", "given_metrics")
    )
    return (OutputText(*row) for row in rows.iterator(chunk_size=1000))
