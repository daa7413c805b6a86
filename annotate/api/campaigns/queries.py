"""The API's query sets, each with a constant number of queries per page."""

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import (
    Count,
    DecimalField,
    Exists,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce

from annotate.models import (
    Annotator,
    Assignment,
    Batch,
    Campaign,
    CampaignImport,
    Exclusion,
    Item,
    Judgment,
    LedgerEntry,
    Membership,
    Output,
    Review,
    Slot,
)

MONEY: "DecimalField[object, object]" = DecimalField(max_digits=12, decimal_places=2)


def campaigns(user: User | AnonymousUser) -> QuerySet[Campaign]:
    """Select the campaigns of this user's memberships, with their role, counts and spending."""
    slots = Slot.objects.filter(campaign=OuterRef("pk")).order_by().values("campaign")
    spent = LedgerEntry.objects.filter(campaign=OuterRef("pk")).order_by().values("campaign")
    last = Batch.objects.filter(campaign=OuterRef("pk")).order_by("-pk")
    role = Membership.objects.filter(campaign=OuterRef("pk"), user=user.pk).values("role")
    return (
        Campaign.objects.filter(memberships__user=user.pk)
        .annotate(
            role=Subquery(role),
            last_tasks=Subquery(last.values("tasks")[:1]),
            judged=_number(slots.filter(assignment__status=Assignment.Status.VERIFIED)),
            spent=Coalesce(
                Subquery(spent.annotate(sum=Sum(F("amount") + F("fee"))).values("sum")),
                0,
                output_field=MONEY,
            ),
        )
        .prefetch_related("targets", "systems")
    )


def imports(user: User | AnonymousUser) -> QuerySet[CampaignImport]:
    """Select the imports that this user has started, with their campaigns."""
    return CampaignImport.objects.filter(owner=user.pk or 0).select_related("campaign")


def judgments(campaign: Campaign, *, with_texts: bool) -> QuerySet[Judgment]:
    """Select a campaign's judgments, superseded ones too, with what decides whether each counts.

    with_texts: include the texts that contain highlights.
    """
    marked = () if with_texts else ("output__text", "output__item__paragraphs")
    rows: QuerySet[Judgment] = (
        Judgment.every.filter(campaign=campaign)
        .annotate(excluded=_excluded(OuterRef("pk")))
        .select_related("annotator", "output__item", "assignment__slot")
        .prefetch_related("scores", "output__authorships__system")
        .defer("output__item__input", "output__item__reference", *marked)
    )
    return rows


def items(campaign: Campaign) -> QuerySet[Item]:
    return Item.objects.filter(campaign=campaign)


def outputs(campaign: Campaign) -> QuerySet[Output]:
    """Select a campaign's outputs, with the keys of their items and the systems that wrote them."""
    rows = Output.objects.filter(campaign=campaign).select_related("item")
    return rows.only("text", "words", "item", "item__key").prefetch_related("authorships__system")


def annotators(campaign: Campaign) -> QuerySet[Annotator]:
    """Select the annotators who judged in a campaign, with their contributions."""
    mine = Q(judgments__campaign=campaign, judgments__superseded_at=None)
    held = Q(judgments__assignment__slot__isnull=False)
    verified = Q(judgments__assignment__status=Assignment.Status.VERIFIED)
    reviews = Review.objects.filter(campaign=campaign)
    return (
        Annotator.objects.filter(mine)
        .annotate(
            excluded=Count("judgments", filter=_excluded(OuterRef("judgments"))),
            counting=Count("judgments", filter=held & verified),
            first_at=Min("judgments__submitted_at"),
            last_at=Max("judgments__submitted_at"),
            active_seconds=Sum("judgments__active_seconds"),
            n=Count("judgments"),
        )
        .prefetch_related(Prefetch("reviews", queryset=reviews.prefetch_related("flags")))
    )


def exclusions(campaign: Campaign) -> QuerySet[Exclusion]:
    rows = Exclusion.objects.filter(judgment__campaign=campaign)
    return rows.select_related("judgment__annotator", "ruling").defer("judgment__response")


def nothing() -> QuerySet[Item]:
    return Item.objects.none()


def _excluded(judgment: OuterRef) -> Exists:
    return Exists(Exclusion.objects.filter(judgment=judgment, restored_at=None))


def _number(rows: QuerySet[Slot, Any]) -> Coalesce:
    total = Subquery(rows.annotate(n=Count("pk")).values("n"), output_field=IntegerField())
    return Coalesce(total, 0)
