"""The queue of reviews and the state of one review, without any system."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.models import (
    Annotator,
    Appeal,
    AuditEntry,
    Block,
    Campaign,
    Membership,
    Participation,
    Review,
    Ruling,
)
from annotate.models.audit import ON_PEOPLE
from annotate.selectors.review import appeal_rights, eligibility, records, screening, turns
from annotate.selectors.review.records import AppealRecord, Fired

NONE = "none"  # there is no review yet
RULED_SHOWN = 20


@dataclass(frozen=True)
class Waiting:
    """One line of the queue: an annotator in a campaign. `appeal_due` is None without an appeal.

    others_answer: the appeal is against this user's ruling, and another person answers it.
    """

    campaign: str
    campaign_name: str
    pseudonym: str
    status: str
    since: datetime
    judgments: int
    flags: tuple[Fired, ...]
    appeal_due: datetime | None
    others_answer: bool
    blocked: bool
    review_id: int = 0

    @property
    def key(self) -> tuple[str, str]:
        return self.campaign, self.pseudonym


@dataclass(frozen=True)
class RuledReview:
    """One ruling."""

    id: int
    act: str
    label: str
    actor: str
    reason: str
    at: datetime
    blind: bool


@dataclass(frozen=True)
class Logged:
    """One line of the audit trail; `actor` is "" for acts without a user."""

    at: datetime
    actor: str
    verb: str
    detail: Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """The state of one annotator's review in one campaign. `review_id` is None without a review."""

    campaign_id: int
    campaign: str
    campaign_name: str
    campaign_status: str
    closed_at: datetime | None
    language: str
    annotator_id: int
    pseudonym: str
    review_id: int | None
    status: str
    pay_refused: bool
    blocked: bool
    since: datetime | None
    judgments: int
    flags: tuple[Fired, ...]
    rulings: tuple[RuledReview, ...]
    appeals: tuple[AppealRecord, ...]
    trail: tuple[Logged, ...]

    @property
    def seen(self) -> int:
        """Return the id of the last ruling, which a page sends back with the next one (0: none)."""
        return self.rulings[-1].id if self.rulings else 0

    @property
    def appeal(self) -> AppealRecord | None:
        """Return the open appeal; None without one."""
        return next((one for one in self.appeals if one.answered_at is None), None)

    @property
    def final_from(self) -> datetime | None:
        """Return when the ruling becomes final; None without a ruling, or with an open appeal."""
        if not self.rulings or self.since is None:
            return None
        return eligibility.final_from(
            since=max(self.since, self.rulings[-1].at),
            closed_at=self.closed_at,
            appealed_at=self.appeal.made_at if self.appeal else None,
        )

    @property
    def is_final(self) -> bool:
        return self.final_from is not None and self.final_from <= timezone.now()

    @property
    def shows_effect(self) -> bool:
        """Return whether review pages show what this exclusion does to the estimates."""
        return self.status == Review.Status.EXCLUDED and self.is_final

    @property
    def was_paused(self) -> bool:
        """Return whether a screen has ever paused this person; others were only listed."""
        return any(flag.pauses for flag in self.flags)

    @property
    def collecting(self) -> bool:
        """Return whether excluded judgments are collected again."""
        status = Campaign.Status
        return self.campaign_status in (status.OPEN, status.PAUSED, status.CLOSING)


def queue(user_id: int, *, campaign: str = "") -> list[Waiting]:
    """Return the annotators who wait for a ruling in the user's campaigns, or in one of them.

    The order is that of `queues`.
    """
    left = appeal_rights.left_to_others(user_id)
    return lines(turns.in_turn(of_user(user_id, campaign).filter(waits()), left), left=left)


def ruled(user_id: int, *, campaign: str = "") -> list[Waiting]:
    """Return the annotators with rulings, the latest first. These may still be reversed."""
    rows = of_user(user_id, campaign).exclude(waits()).filter(ruled_at__isnull=False)
    return lines(rows.order_by("-ruled_at")[:RULED_SHOWN])


def n_waiting(user_id: int, *, campaign: str = "") -> int | None:
    """Return how many wait for this user, in all campaigns or one.

    None if there has never been anything to review.
    """
    mine = of_user(user_id, campaign)
    left = appeal_rights.left_to_others(user_id)
    waiting = waits() & ~Q(pk__in=left)
    rows = mine.aggregate(n=Count("pk", filter=waiting), all=Count("pk"))
    return rows["n"] if rows["all"] else None


def case(campaign: Campaign, pseudonym: str) -> Case | None:
    """Return one annotator's review, in constant queries; None if they never entered."""
    who = Annotator.objects.filter(
        Exists(Participation.objects.filter(campaign=campaign, annotator=OuterRef("pk"))),
        pseudonym=pseudonym,
    ).first()
    if who is None:
        return None
    review = Review.objects.filter(campaign=campaign, annotator=who).first()
    review_id = review.pk if review else None
    return Case(
        campaign_id=campaign.pk,
        campaign=campaign.public_id,
        campaign_name=campaign.name,
        campaign_status=campaign.status,
        closed_at=campaign.closed_at,
        language=campaign.language,
        annotator_id=who.pk,
        pseudonym=pseudonym,
        review_id=review_id,
        status=review.status if review else NONE,
        pay_refused=review.pay_refused if review else False,
        blocked=eligibility.block(campaign.pk, who.pk) is not None,
        since=review.opened_at if review else None,
        judgments=screening.known().filter(campaign=campaign, annotator=who).count(),
        flags=records.flags([review_id])[review_id],
        rulings=_rulings(review_id),
        appeals=records.appeals(review_id),
        trail=_trail(campaign.pk, who.pk),
    )


def waits() -> Q:
    """Return the condition that a review waits for a ruling, a look or an answer."""
    appealed = Appeal.objects.filter(answered_at=None)
    awaited = (Review.Status.OPEN, Review.Status.LISTED)
    return Q(status__in=awaited) | Q(pk__in=appealed.values("review"))


def of_user(user_id: int, campaign: str = "") -> QuerySet[Review]:
    """Select the reviews in the campaigns of this person, or in one of them."""
    mine = Membership.objects.filter(user=user_id, role__in=Membership.REVIEW).values("campaign")
    rows = Review.objects.filter(campaign__in=mine)
    return rows.filter(campaign__public_id=campaign) if campaign else rows


def lines(rows: QuerySet[Review], *, left: Collection[int] = ()) -> list[Waiting]:
    """Return these reviews in their order. left: those that wait for another person's answer."""
    judged = (
        screening.known()
        .filter(campaign=OuterRef("campaign"), annotator=OuterRef("annotator"))
        .order_by()
    )
    n = Subquery(
        judged.values("annotator").annotate(n=Count("pk")).values("n"),
        output_field=IntegerField(),
    )
    due = Appeal.objects.filter(review=OuterRef("pk"), answered_at=None).values("due_at")
    found = list(
        rows.select_related("campaign", "annotator").annotate(
            n=Coalesce(n, 0), due=Subquery(due), blocked=Exists(blocks_of_review())
        )
    )
    flags = records.flags([review.pk for review in found])
    return [
        Waiting(
            review.campaign.public_id,
            review.campaign.name,
            review.annotator.pseudonym,
            review.status,
            review.opened_at,
            review.n,
            flags[review.pk],
            review.due,
            review.pk in left,
            review.blocked,
            review.pk,
        )
        for review in found
    ]


def ruled_review(ruling: Ruling) -> RuledReview:
    return RuledReview(
        ruling.pk,
        ruling.act,
        ruling.get_act_display(),
        ruling.actor.get_username(),
        ruling.reason,
        ruling.at,
        ruling.blind,
    )


def _rulings(review_id: int | None) -> tuple[RuledReview, ...]:
    rows = Ruling.objects.filter(review=review_id).select_related("actor").order_by("pk")
    return tuple(map(ruled_review, rows))


def _trail(campaign_id: int, annotator_id: int) -> tuple[Logged, ...]:
    mine = AuditEntry.objects.filter(ON_PEOPLE, campaign=campaign_id)
    rows = mine.filter(subject=f"annotator:{annotator_id}")
    return tuple(
        Logged(at, actor or "", verb, detail)
        for at, actor, verb, detail in rows.values_list("at", "actor__username", "verb", "detail")
    )


def blocks_of_review() -> QuerySet[Block]:
    """Select the blocks that keep a review's annotator out of its campaign."""
    owners = Membership.objects.filter(
        campaign=OuterRef(OuterRef("campaign")), role=Membership.Role.OWNER
    )
    return Block.objects.filter(
        annotator=OuterRef("annotator"), ended_at=None, owner__in=owners.values("user")
    )
