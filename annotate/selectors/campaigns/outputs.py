"""Outputs and their inputs, for automatic metrics."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from annotate.instruments import pairs
from annotate.instruments.base import Material, whole_input
from annotate.models import Authorship, Output

CHUNK = 1000  # outputs that are read together


@dataclass(frozen=True)
class OutputText:
    """One output with its item's reference and the metric values given at upload.

    input: the item's whole input including paragraphs, if requested; otherwise "".
    others: what the other systems wrote for the item, if requested; a system that wrote the same
    text is one of them.
    second: of a pair, the text that `text` is compared with.
    """

    output_id: int
    text: str
    reference: str
    given: dict[str, float]
    input: str = ""
    others: tuple[str, ...] = ()
    second: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """Return its text, or both of a pair."""
        return (self.text,) if self.second is None else (self.text, self.second)


def total(campaign_id: int) -> int:
    """Return how many different outputs the campaign has."""
    return Output.objects.filter(campaign=campaign_id).count()


def total_given(campaign_id: int, metric: str) -> int:
    """Return how many outputs have an uploaded value of this metric."""
    return Output.objects.filter(campaign=campaign_id, given_metrics__has_key=metric).count()


def texts(
    campaign_id: int, *, with_input: bool = False, with_others: bool = False, paired: bool = False
) -> Iterator[OutputText]:
    """Yield every output by ascending id, without holding all in memory.

    paired: they are pairs, which are not compared with other systems' outputs.
    """
    columns = ["pk", "item_id", "text", "item__reference", "given_metrics"]
    if with_input:  # inputs are long, and every system's output repeats them
        columns += ["item__input", "item__paragraphs"]
    outputs = Output.objects.filter(campaign=campaign_id).order_by("pk").values_list(*columns)
    rows = (
        (item, OutputText(pk, text, reference, given, whole_input(*inputs) if inputs else ""))
        for pk, item, text, reference, given, *inputs in outputs.iterator(chunk_size=CHUNK)
    )
    if paired:
        return (_pair(row) for _item, row in rows)
    return _with_others(rows) if with_others else (row for _item, row in rows)


def _pair(row: OutputText) -> OutputText:
    first, second = pairs.parts(row.text)
    return replace(row, text=first, second=second)


def _with_others(rows: Iterator[tuple[int, OutputText]]) -> Iterator[OutputText]:
    """Add the other systems' outputs: one query for each chunk."""
    while chunk := list(islice(rows, CHUNK)):
        written = _written({item for item, _row in chunk})
        for item, row in chunk:
            others = list(written[item])
            others.remove((row.output_id, row.text))
            yield replace(row, others=tuple(text for _output, text in others))


def _written(items: set[int]) -> dict[int, Sequence[tuple[int, str]]]:
    """Return (output, text) of every system, by item."""
    found: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    rows = Authorship.objects.filter(item__in=items).order_by("system_id")
    for item, output, text in rows.values_list("item_id", "output_id", "output__text"):
        found[item].append((output, text))
    return dict(found)


def material(output: Output) -> Material:
    """Return what annotators are shown of an output. Its item must be loaded."""
    return Material(output.text, output.item.input, tuple(output.item.paragraphs))


def shown(
    annotator_id: int, output_id: int, text: str, given: str, paragraphs: Iterable[str]
) -> Material:
    """Return what this annotator is shown of an output: a pair in one of its two orders."""
    turned = pairs.MARK in text and pairs.is_turned(annotator_id, str(output_id))
    return Material(text, given, tuple(paragraphs), turned)


def shown_gold(
    annotator_id: int, gold_id: int, text: str, given: str, paragraphs: Iterable[str]
) -> Material:
    """Return what this annotator is shown of a gold item, likewise."""
    turned = pairs.MARK in text and pairs.is_turned(annotator_id, f"gold {gold_id}")
    return Material(text, given, tuple(paragraphs), turned)
