"""The order in which reviews are ruled on."""

from collections.abc import Collection

from django.db.models import Case, FilteredRelation, IntegerField, Q, QuerySet, When
from django.db.models.functions import Coalesce

from annotate.models import Review

NOBODY = (0,)  # no id is 0, and without an id there would be no condition


def in_turn(rows: QuerySet[Review], left: Collection[int]) -> QuerySet[Review]:
    """Order reviews as a person rules on them. left: those that wait for another one's answer.

    Appeals come first, by the day their answer is due, then the longest waiting, then those that
    are listed for review only. Appeals that other reviewers answer come last.
    """
    rows, order = with_turn(rows, left)
    return rows.order_by(*order)


def with_turn(rows: QuerySet[Review], left: Collection[int]) -> tuple[QuerySet[Review], list[str]]:
    """Return the reviews with what their turn depends on, and the names that order them by it."""
    waiting = Q(appeals__answered_at=None)  # at most one; joined once, not looked up for each row
    rows = rows.annotate(appealed=FilteredRelation("appeals", condition=waiting)).annotate(
        later=Case(
            When(appealed__due_at__isnull=False, then=0),
            When(status=Review.Status.LISTED, then=2),
            default=1,
            output_field=IntegerField(),
        ),
        turn=Coalesce("appealed__due_at", "opened_at"),
        last=Case(When(pk__in=left or NOBODY, then=1), default=0, output_field=IntegerField()),
    )
    return rows, ["last", "later", "turn", "pk"]
