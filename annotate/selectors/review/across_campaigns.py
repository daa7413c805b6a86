"""The state of one annotator in every campaign that a user may review."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotate.models import (
    Annotator,
    Block,
    Campaign,
    Membership,
    Participation,
    Review,
    Ruling,
)
from annotate.selectors.review import records, screening
from annotate.selectors.review.records import Fired
from annotate.selectors.review.reviews import NONE


@dataclass(frozen=True)
class Elsewhere:
    """One annotator's state in one of several campaigns."""

    campaign_id: int
    annotator_id: int
    campaign: str
    campaign_name: str
    status: str
    pay_refused: bool
    blocked: bool
    judgments: int
    screens: tuple[str, ...]
    seen: int

    def shown(self, seen: int) -> "Elsewhere":
        """Return it as a page showed it, with `seen` as its last ruling."""
        return replace(self, seen=seen)


def everywhere(user_id: int, pseudonym: str) -> list[Elsewhere]:
    """Return this annotator's state in every campaign that this user may review."""
    mine = Membership.objects.filter(user=user_id, role__in=Membership.REVIEW).values("campaign")
    worked = Participation.objects.filter(campaign=OuterRef("pk"), annotator__pseudonym=pseudonym)
    campaigns = list(Campaign.objects.filter(Exists(worked), pk__in=mine))
    annotator = Annotator.objects.filter(pseudonym=pseudonym).first()
    if not campaigns or annotator is None:
        return []
    reviews = Review.objects.filter(campaign__in=campaigns, annotator=annotator)
    found = {review.campaign_id: review for review in reviews.annotate(seen=_last_ruling())}
    flags = records.flags([review.pk for review in found.values()])
    counts = _judged(annotator.pk)
    blocked = _blocked_in(campaigns, annotator.pk)
    return [
        _elsewhere(
            one, annotator, found.get(one.pk), flags, counts.get(one.pk, 0), one.pk in blocked
        )
        for one in campaigns
    ]


def _elsewhere(
    campaign: Campaign,
    annotator: Annotator,
    review: Any,
    flags: Mapping[int | None, tuple[Fired, ...]],
    judgments: int,
    blocked: bool,
) -> Elsewhere:
    return Elsewhere(
        campaign_id=campaign.pk,
        annotator_id=annotator.pk,
        campaign=campaign.public_id,
        campaign_name=campaign.name,
        status=review.status if review else NONE,
        pay_refused=bool(review and review.pay_refused),
        blocked=blocked,
        judgments=judgments,
        screens=tuple(one.screen for one in records.signs(flags[review.pk])) if review else (),
        seen=review.seen if review else 0,
    )


def _blocks(campaign_ids: Iterable[int], annotator_id: int) -> QuerySet[Block]:
    owners = Membership.objects.filter(campaign__in=campaign_ids, role=Membership.Role.OWNER)
    return Block.objects.filter(
        annotator=annotator_id, ended_at=None, owner__in=owners.values("user")
    )


def _blocked_in(campaigns: Iterable[Campaign], annotator_id: int) -> set[int]:
    owners = _blocks([one.pk for one in campaigns], annotator_id).values("owner")
    return set(
        Membership.objects.filter(role=Membership.Role.OWNER, user__in=owners).values_list(
            "campaign", flat=True
        )
    )


def _judged(annotator_id: int) -> dict[int, int]:
    rows = screening.known().filter(annotator=annotator_id).order_by().values_list("campaign")
    return dict(rows.annotate(n=Count("pk")))


def _last_ruling() -> Any:
    last = Ruling.objects.filter(review=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    return Coalesce(Subquery(last), 0)
