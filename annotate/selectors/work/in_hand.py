"""The task on an annotator's page: what a submit needs of it, and when it was begun."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery

from annotate.instruments.base import Material
from annotate.instruments.expected import Expected
from annotate.models import Assignment
from annotate.selectors.campaigns import outputs


@dataclass(frozen=True)
class InHand:
    """An assignment, what its annotator was shown, and when the annotator saw it first.

    expected: what is right about a gold item; None for an output.
    """

    assignment: Assignment
    material: Material
    began: datetime
    expected: Expected | None = None  # of a gold item


def of(assignment: Assignment) -> InHand:
    """Return the same of an assignment that was read `with_begin`, and with what it is about."""
    expected = None if assignment.gold is None else assignment.gold.expected
    return InHand(assignment, material(assignment), begin_of(assignment), expected=expected)


def begin_of(assignment: Assignment) -> datetime:
    """Return when an assignment that was read `with_begin` was first seen."""
    before: datetime | None = vars(assignment)["ended_before"]
    return _began(assignment, before)


def material(assignment: Assignment) -> Material:
    """Return what the annotator is shown: of an output, whose item must be loaded, or of gold."""
    who, gold, output = assignment.annotator_id, assignment.gold, assignment.output
    if gold is not None:
        return outputs.shown_gold(who, gold.pk, gold.text, gold.input, gold.paragraphs)
    assert output is not None, "an assignment has an output or a gold item"
    given = output.item
    return outputs.shown(who, output.pk, output.text, given.input, given.paragraphs)


def with_begin(rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Add when the task before was done or given back.

    A page that has a task in hand shows it at that moment, and says so to nobody.
    """
    done = (*Assignment.JUDGED, Assignment.Status.RETURNED)
    before = Assignment.objects.filter(participation=OuterRef("participation"), status__in=done)
    ended = before.exclude(pk=OuterRef("pk")).order_by("-ended_at").values("ended_at")[:1]
    return rows.annotate(ended_before=Subquery(ended))


def _began(assignment: Assignment, before: datetime | None) -> datetime:
    return assignment.started_at or max(assignment.leased_at, before or assignment.leased_at)
