"""All texts of an item as one annotator sees them, with their own answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import JSONArray

from annotate.instruments import side_by_side
from annotate.instruments.base import Instrument, Material, TextBeside
from annotate.models import Assignment, Judgment, Output, Participation
from annotate.selectors.prepared import LARGEST, Prepared
from annotate.statements import Row


def whose(who: Participation) -> dict[str, int]:
    """Return whose answers are shown: those of the person, or of this participation alone.

    Before a crowd has confirmed it, anyone may have come in under this name.
    """
    low, high = (0, LARGEST) if who.is_sure else (who.pk, who.pk)
    return {"annotator": who.annotator_id, "low": low, "high": high}


def of_item(item: Any, *, annotator: int, low: int, high: int) -> "QuerySet[Output, Row]":
    """Select the texts of an item: rows of one list of output, text, own task and own response."""

    def task(output: OuterRef) -> Subquery:
        rows = Assignment.objects.filter(
            output=output,
            annotator=annotator,
            participation__gte=low,
            participation__lte=high,
            status__in=Assignment.HELD,
        )
        return Subquery(rows.order_by().values("pk")[:1])

    given = Judgment.objects.filter(assignment=task(OuterRef(OuterRef("pk"))))
    response = Subquery(given.order_by().values("response")[:1])
    one = JSONArray("pk", "text", task(OuterRef("pk")), response)
    return Output.objects.filter(item=item).order_by().annotate(one=one).values_list("one")


def shown(
    instrument: Instrument, who: Participation, output_id: int, material: Material, rows: Any
) -> Material:
    """Return what an annotator is shown of an output, with the texts of its item beside it."""
    place = side_by_side.place
    ordered: Sequence[Row] = sorted(rows, key=lambda row: place(who.annotator_id, row[0]))
    texts = tuple(
        TextBeside(
            text,
            is_rated=output == output_id,
            task=None if output == output_id else task,
            answer="" if given is None or output == output_id else instrument.recalled(given),
        )
        for output, text, task, given in ordered
    )
    return replace(material, side_by_side=texts)


def beside(instrument: Instrument, assignment: Assignment, material: Material) -> Material:
    """Return the material of a task as its page shows it: one query, where other texts are shown.

    The assignment has its participation and output loaded.
    """
    if not instrument.shows_others or assignment.output is None:
        return material
    who = assignment.participation
    rows = _TEXTS.rows(item=assignment.output.item_id, **whose(who))
    return shown(instrument, who, assignment.output.pk, material, [one for (one,) in rows])


def _texts(item: int, annotator: int, low: int, high: int) -> "QuerySet[Output, Row]":
    return of_item(item, annotator=annotator, low=low, high=high)


_TEXTS = Prepared(_texts, numbers=("item", "annotator", "low", "high"))
