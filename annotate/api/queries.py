"""What the API shows, each page in a constant number of queries."""

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, DecimalField, F, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from annotate.models import Assignment, Batch, Campaign, Judgment, LedgerEntry, Membership, Place

MONEY: "DecimalField[object, object]" = DecimalField(max_digits=12, decimal_places=2)


def campaigns(user: User | AnonymousUser) -> QuerySet[Campaign]:
    """The campaigns of this user's memberships, with their role, counts and spending."""
    places = Place.objects.filter(campaign=OuterRef("pk")).order_by().values("campaign")
    spent = LedgerEntry.objects.filter(campaign=OuterRef("pk")).order_by().values("campaign")
    last = Batch.objects.filter(campaign=OuterRef("pk")).order_by("-pk")
    role = Membership.objects.filter(campaign=OuterRef("pk"), user=user.pk).values("role")
    return (
        Campaign.objects.filter(memberships__user=user.pk)
        .annotate(
            role=Subquery(role),
            planned=_number(places),
            last_tasks=Subquery(last.values("tasks")[:1]),
            judged=_number(places.filter(assignment__status=Assignment.Status.VERIFIED)),
            spent=Coalesce(
                Subquery(spent.annotate(sum=Sum(F("amount") + F("fee"))).values("sum")),
                0,
                output_field=MONEY,
            ),
        )
        .prefetch_related("targets", "systems")
    )


def judgments(campaign: Campaign) -> QuerySet[Judgment]:
    """A campaign's judgments, with what tells whether each counts."""
    return (
        Judgment.objects.filter(campaign=campaign)
        .select_related("annotator", "output__item", "assignment__place")
        .prefetch_related("scores", "output__authorships__system")
        .defer("response", "output__text", "output__item__input", "output__item__reference")
    )


def _number(rows: QuerySet[Place, Any]) -> Coalesce:
    total = Subquery(rows.annotate(n=Count("pk")).values("n"), output_field=IntegerField())
    return Coalesce(total, 0)
