"""Which texts stood on somebody's page, and where, after they were rated."""

from collections import defaultdict
from collections.abc import Collection

import numpy as np

from annotate.instruments import side_by_side
from annotate.instruments.base import TextBeside
from annotate.models import Output
from annotate.selectors import bulk


class PageOrders:
    """The outputs on an annotator's page of a campaign, in their order; one query for all."""

    def __init__(self, campaign_id: int) -> None:
        rows = Output.objects.filter(campaign=campaign_id).order_by("pk")
        self._output, self._item = bulk.columns(rows, id="i8", item="i8")
        self._by_item = np.argsort(self._item, kind="stable")
        self._items = self._item[self._by_item]

    def of(self, annotator_id: int, output_id: int) -> tuple[int, ...]:
        """Return the outputs of the page on which this annotator rated this output."""
        item = self._item[self._output.searchsorted(output_id)]
        first, end = self._items.searchsorted((item, item + 1))
        mine = self._output[self._by_item[first:end]].tolist()
        return tuple(sorted(mine, key=lambda one: side_by_side.place(annotator_id, one)))


def pages(annotator_id: int, output_ids: Collection[int]) -> dict[int, tuple[TextBeside, ...]]:
    """Return the texts of the page on which this annotator rated each output; one query."""
    items = Output.objects.filter(pk__in=output_ids).values("item")
    of_item: dict[int, list[tuple[str, int, str]]] = defaultdict(list)
    for item, pk, text in Output.objects.filter(item__in=items).values_list("item", "pk", "text"):
        of_item[item].append((side_by_side.place(annotator_id, pk), pk, text))
    return {
        rated: tuple(TextBeside(text, is_rated=pk == rated) for _place, pk, text in sorted(texts))
        for texts in of_item.values()
        for _place, rated, _text in texts
        if rated in output_ids
    }
