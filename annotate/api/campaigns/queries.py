"""The API's query sets, each with a constant number of queries per page."""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import (
    Count,
    Exists,
    Max,
    Min,
    Model,
    OuterRef,
    Prefetch,
    QuerySet,
    Subquery,
    Sum,
)

from annotate.models import (
    Annotator,
    Assignment,
    Batch,
    Campaign,
    CampaignImport,
    Exclusion,
    Item,
    Judgment,
    Membership,
    NextStep,
    Output,
    Participation,
    Review,
    Slot,
)
from annotate.selectors.campaigns import slot_counts
from annotate.selectors.campaigns.exports import PersonRow
from annotate.selectors.pay import accounts

M = TypeVar("M", bound=Model)


def campaigns(user: User | AnonymousUser) -> QuerySet[Campaign]:
    """Select the campaigns of this user's memberships, with their role, counts and spending."""
    last = Batch.objects.filter(campaign=OuterRef("pk")).order_by("-pk")
    role = Membership.objects.filter(campaign=OuterRef("pk"), user=user.pk).values("role")
    return (
        Campaign.objects.filter(memberships__user=user.pk)
        .annotate(
            role=Subquery(role),
            advice=Subquery(NextStep.objects.filter(campaign=OuterRef("pk")).values("title")),
            last_tasks=Subquery(last.values("tasks")[:1]),
            judged=slot_counts.judged_of(),
            spent=accounts.spent_of(),
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
    return _from_first(Item.objects.filter(campaign=campaign), campaign)


def outputs(campaign: Campaign) -> QuerySet[Output]:
    """Select a campaign's outputs, with the keys of their items and the systems that wrote them."""
    mine = _from_first(Output.objects.filter(campaign=campaign), campaign)
    rows = mine.select_related("item")
    return rows.only("text", "words", "item", "item__key").prefetch_related("authorships__system")


def _from_first(rows: QuerySet[M], campaign: Campaign) -> QuerySet[M]:
    """Begin with the first of these rows, which an index of the campaign has.

    In the order of ids Postgres may otherwise read those of all earlier campaigns.
    """
    mine = rows.model._default_manager.filter(campaign=OuterRef("pk")).order_by("pk")
    found = Campaign.objects.filter(pk=campaign.pk).annotate(first=Subquery(mine.values("pk")[:1]))
    return rows.filter(pk__gte=Subquery(found.values("first")))


def annotators(campaign: Campaign) -> QuerySet[Annotator]:
    """Select the annotators who judged in a campaign, with their reviews in it."""
    judged = Judgment.objects.filter(campaign=campaign, annotator=OuterRef("pk"))
    came = Participation.objects.filter(campaign=campaign).order_by().values("annotator")
    reviews = Review.objects.filter(campaign=campaign)
    return Annotator.objects.filter(Exists(judged), pk__in=came).prefetch_related(
        Prefetch("reviews", queryset=reviews.prefetch_related("flags"))
    )


def contributions(campaign: Campaign, people: Sequence[Annotator]) -> list[PersonRow]:
    """Return what each of these people contributed, if anything; three queries.

    people: with their reviews and flags, as `annotators` selects them.
    """
    mine = Judgment.objects.filter(campaign=campaign, annotator__in=people).order_by()
    judged = mine.values_list("annotator").annotate(
        n=Count("pk"),
        first=Min("submitted_at"),
        last=Max("submitted_at"),
        seconds=Sum("active_seconds"),
        held=Count("pk", filter=Exists(Slot.objects.filter(assignment=OuterRef("assignment")))),
    )
    # Who holds a slot counts, but for the few that no crowd has confirmed yet.
    unconfirmed = Assignment.objects.filter(
        campaign=campaign,
        annotator__in=people,
        status=Assignment.Status.SUBMITTED,
        slot__isnull=False,
        judgments__superseded_at=None,
        judgments__isnull=False,
    )
    out = Exclusion.objects.filter(
        restored_at=None,
        ruling__review__campaign=campaign,
        ruling__review__annotator__in=people,
        judgment__superseded_at=None,
    )
    waiting = _numbers(unconfirmed, "annotator")
    excluded = _numbers(out, "ruling__review__annotator")
    did = {
        who: (n, held - waiting.get(who, 0), excluded.get(who, 0), first, last, seconds)
        for who, n, first, last, seconds, held in judged
    }
    return [
        PersonRow(one.pseudonym, *did[one.pk], *_reviewed(one)) for one in people if one.pk in did
    ]


def _reviewed(person: Annotator) -> tuple[str, tuple[str, ...]]:
    found = person.reviews.all()
    screens = tuple(flag.screen for review in found for flag in review.flags.all())
    return next((str(one.status) for one in found), ""), screens


def exclusions(campaign: Campaign) -> QuerySet[Exclusion]:
    rows = Exclusion.objects.filter(judgment__campaign=campaign)
    return rows.select_related("judgment__annotator", "ruling").defer("judgment__response")


def nothing() -> QuerySet[Item]:
    return Item.objects.none()


def _excluded(judgment: OuterRef) -> Exists:
    return Exists(Exclusion.objects.filter(judgment=judgment, restored_at=None))


def _numbers(rows: QuerySet[Any], by: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(by).annotate(n=Count("pk")))
