"""Outputs and their inputs, for automatic metrics."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotate.instruments.base import Material, whole_input
from annotate.models import Output


@dataclass(frozen=True)
class OutputText:
    """One output with its item's reference and the metric values given at upload.

    input: the item's whole input including paragraphs, if requested; otherwise "".
    """

    output_id: int
    text: str
    reference: str
    given: dict[str, float]
    input: str = ""


def total(campaign_id: int) -> int:
    """Return how many different outputs the campaign has."""
    return Output.objects.filter(campaign=campaign_id).count()


def total_given(campaign_id: int, metric: str) -> int:
    """Return how many outputs have an uploaded value of this metric."""
    return Output.objects.filter(campaign=campaign_id, given_metrics__has_key=metric).count()


def texts(campaign_id: int, *, with_input: bool = False) -> Iterator[OutputText]:
    """Yield every output by ascending id, without holding all in memory."""
    columns = ["pk", "text", "item__reference", "given_metrics"]
    if with_input:  # inputs are long, and every system's output repeats them
        columns += ["item__input", "item__paragraphs"]
    rows = Output.objects.filter(campaign=campaign_id).order_by("pk").values_list(*columns)
    return (
        OutputText(pk, text, reference, given, whole_input(*inputs) if inputs else "")
        for pk, text, reference, given, *inputs in rows.iterator(chunk_size=1000)
    )


def material(output: Output) -> Material:
    """Return what an annotator is shown of an output. Its item must be loaded."""
    return Material(output.text, output.item.input, tuple(output.item.paragraphs))
