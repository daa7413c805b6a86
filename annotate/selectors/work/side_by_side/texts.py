"""All texts of an item as one annotator sees them, with their own answers."""

from dataclasses import replace

from annotate.instruments import side_by_side
from annotate.instruments.base import Instrument, Material, TextBeside
from annotate.models import Assignment, Judgment, Output


def beside(instrument: Instrument, assignment: Assignment, material: Material) -> Material:
    """Return the material of a task as its page shows it: three queries, where others are shown.

    The assignment has its participation and output loaded. The answers are those of the person;
    of this participation alone until a crowd has confirmed it, because anyone may have come in
    under this name.
    """
    if not instrument.shows_others or assignment.output is None:
        return material
    who, rated = assignment.participation, assignment.output
    texts = Output.objects.filter(item=rated.item_id).values_list("pk", "text")
    own = Assignment.objects.filter(
        output__item=rated.item_id, annotator=who.annotator_id, status__in=Assignment.HELD
    )
    if not who.is_sure:
        own = own.filter(participation=who)
    tasks = dict(own.values_list("output", "pk"))
    given = Judgment.objects.filter(assignment__in=tasks.values())
    answers = dict(given.values_list("output", "response"))
    ordered = sorted(texts, key=lambda row: side_by_side.place(who.annotator_id, row[0]))
    shown = tuple(
        TextBeside(
            text,
            is_rated=pk == rated.pk,
            task=None if pk == rated.pk else tasks.get(pk),
            answer="" if pk == rated.pk or pk not in answers else instrument.recalled(answers[pk]),
        )
        for pk, text in ordered
    )
    return replace(material, side_by_side=shown)
