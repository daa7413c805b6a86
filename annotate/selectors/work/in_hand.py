"""The task on an annotator's page: what a submit needs of it, and when it was begun."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotate.instruments.base import Material
from annotate.models import Assignment, Draft
from annotate.selectors.campaigns import outputs
from annotate.selectors.prepared import Prepared, Row, columns, instance


@dataclass(frozen=True)
class InHand:
    """An assignment, what its annotator was shown, and when the annotator saw it first."""

    assignment: Assignment
    material: Material
    began: datetime
    has_draft: bool = True


def leased(assignment_id: int, participation_id: int) -> InHand | None:
    """Return the assignment if this participation has it leased; one query."""
    rows = _LEASED.rows(assignment=assignment_id, participation=participation_id)
    if not rows:
        return None
    (row,) = rows
    text, given, paragraphs, before, has_draft = row[-len(MORE) :]
    found = instance(Assignment, row)
    material = Material(text, given, tuple(paragraphs))
    return InHand(found, material, _began(found, before), bool(has_draft))


def of(assignment: Assignment) -> InHand:
    """Return the same of an assignment that was read `with_begin`, and with its output."""
    before: datetime | None = vars(assignment)["ended_before"]
    return InHand(assignment, outputs.material(assignment.output), _began(assignment, before))


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
    "ended_before",
    "has_draft",
)


def _leased(assignment: int, participation: int) -> "QuerySet[Assignment, Row]":
    mine = Assignment.objects.filter(
        pk=assignment, participation=participation, status=Assignment.Status.LEASED
    )
    drafted = Exists(Draft.objects.filter(assignment=OuterRef("pk")))
    rows = with_begin(mine).annotate(has_draft=drafted)
    return rows.values_list(*columns(Assignment), *MORE)


_LEASED = Prepared(_leased, numbers=("assignment", "participation"))
