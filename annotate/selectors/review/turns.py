"""The order in which reviews are ruled on."""

from django.db.models import Case, IntegerField, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce

from annotate.models import Appeal, Review
from annotate.selectors.review import appeal_rights


def in_turn(rows: QuerySet[Review], user_id: int) -> QuerySet[Review]:
    """Order reviews as this person rules on them.

    Appeals come first, by the day their answer is due, then the longest waiting. Appeals that other
    reviewers answer come last.
    """
    left = Q(pk__in=appeal_rights.left_to_others(user_id))
    due = Appeal.objects.filter(review=OuterRef("pk"), answered_at=None).values("due_at")
    ordered = rows.annotate(
        last=Case(When(left, then=1), default=0, output_field=IntegerField()),
        appeal_due=Subquery(due),
    ).annotate(
        later=Case(When(appeal_due=None, then=1), default=0, output_field=IntegerField()),
        turn=Coalesce("appeal_due", "opened_at"),
    )
    return ordered.order_by("last", "later", "turn", "pk")
