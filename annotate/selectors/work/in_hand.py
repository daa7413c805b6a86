"""The task on an annotator's page: what a submit needs of it, and when it was begun."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotate.instruments.base import Material
from annotate.instruments.expected import Expected
from annotate.models import Assignment, Draft
from annotate.selectors.campaigns import outputs
from annotate.selectors.prepared import Prepared, columns, instance
from annotate.statements import Row


@dataclass(frozen=True)
class InHand:
    """An assignment, what its annotator was shown, and when the annotator saw it first.

    expected: what is right about a gold item; None for an output.
    """

    assignment: Assignment
    material: Material
    began: datetime
    has_draft: bool = True
    expected: Expected | None = None  # of a gold item


def leased(assignment_id: int, participation_id: int) -> InHand | None:
    """Return the assignment if this participation has it leased; one query."""
    rows = _LEASED.rows(assignment=assignment_id, participation=participation_id)
    if not rows:
        return None
    (row,) = rows
    *shown, before, has_draft, expected = row[-len(MORE) :]
    found = instance(Assignment, row)
    if found.status != Assignment.Status.LEASED:
        return None
    who = found.annotator_id
    if found.gold_id:
        material = outputs.shown_gold(who, found.gold_id, *shown[3:])
    else:
        material = outputs.shown(who, found.output_id or 0, *shown[:3])
    return InHand(found, material, _began(found, before), bool(has_draft), expected)


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


MORE = (
    "output__text",
    "output__item__input",
    "output__item__paragraphs",
    "gold__text",
    "gold__input",
    "gold__paragraphs",
    "ended_before",
    "has_draft",
    "gold__expected",
)


def _leased(assignment: int, participation: int) -> "QuerySet[Assignment, Row]":
    # The status is compared afterwards. Asked for here, Postgres may look for the row among all
    # open leases, with those that have ended since its last clean-up.
    mine = Assignment.objects.filter(pk=assignment, participation=participation)
    drafted = Exists(Draft.objects.filter(assignment=OuterRef("pk")))
    rows = with_begin(mine).annotate(has_draft=drafted)
    return rows.values_list(*columns(Assignment), *MORE)


_LEASED = Prepared(_leased, numbers=("assignment", "participation"))
