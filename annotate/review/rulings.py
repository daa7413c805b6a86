"""A reviewer's rulings: clear, exclude, refuse pay, block, and the reversal of each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.utils import timezone

from annotate.common import access, audit, marks
from annotate.common.access import Blinding
from annotate.common.errors import Conflict, Invalid, NotAllowed, ServiceError
from annotate.crowds import adapters, people
from annotate.models import Membership, Review, Ruling
from annotate.pay import budget, ledger, settling
from annotate.review import appeals, eligibility, exclusions, reviews
from annotate.review import queries as review_queries

Act = Ruling.Act
STANDING = (Act.EXCLUDE, Act.RESTORE, Act.BLOCK, Act.UNBLOCK)


def follow(review: Review, made: Iterable[Ruling]) -> None:
    """Intend the effects of these rulings at the crowd, in their transaction; none by link."""
    acts = {Act(ruling.act): ruling for ruling in made}
    if not acts or not adapters.publishes(review.campaign.crowd):
        return
    settling.settle_person(review.campaign_id, review.annotator_id)
    if any(act in STANDING for act in acts):
        people.follow(review)
    people.decided(review, acts.values())


Status = Review.Status
BLOCKED_ALREADY = "blocked_already"
NOT_BLOCKED = "not_blocked"
FINAL = (
    "This ruling was final, and its effect on the estimates could be seen. Give the reason why it "
    "is undone now: the annotator reads it, and the report on exclusions counts it."
)
SOURCES: dict[Act, tuple[Status, ...]] = {
    Act.CLEAR: (Status.OPEN, Status.LISTED),
    Act.EXCLUDE: (Status.OPEN, Status.LISTED, Status.CLEARED),
    Act.RESTORE: (Status.EXCLUDED,),
    Act.REFUSE: (Status.EXCLUDED,),
    Act.REPAY: (Status.EXCLUDED,),
    Act.BLOCK: tuple(Status),
    Act.UNBLOCK: tuple(Status),
}


def rule(
    review_id: int,
    acts: Sequence[Act],
    *,
    actor_id: int,
    reason: str,
    seen: int = 0,
    beyond_budget: bool = False,
) -> list[Ruling]:
    """Carry out these acts in this order; the annotator reads `reason`.

    seen: id of the last ruling that the reviewer's page showed (0: none).
    Raises `Conflict` where another ruling has been made since, an act does not fit the state,
    another reviewer must answer an appeal against a ruling of this person, or restored pay exceeds
    the budget and `beyond_budget` is not set. Raises `Invalid` where an adverse act, or the
    reversal of a final ruling, has no reason. All acts happen, or none.
    """
    check_reason(acts, reason)
    with transaction.atomic():
        review = reviews.locked(review_id)
        _check_seen(review, seen)
        own = appeals.answered_by(review, actor_id)
        late = Act.RESTORE in acts and eligibility.is_final(review)
        if late and not reason.strip():
            raise Invalid({"reason": FINAL})
        blind = access.sight(actor_id, review.campaign) == Blinding.BLIND
        before = budget.excess(review.campaign)
        given = {
            "review": review,
            "actor_id": actor_id,
            "reason": reason.strip(),
            "at": timezone.now(),
            "blind": blind,
            "opened": bool(reviews.opened(actor_id, [(review.campaign_id, review.annotator_id)])),
        }
        made = [
            _act(review, Ruling(act=act, late=late and act == Act.RESTORE, **given)) for act in acts
        ]
        budget.ask(review.campaign, before=before, beyond_budget=beyond_budget)
        appeals.close(review, acts, answer=reason.strip(), own=own)
        follow(review, made)
    return made


def check_reason(acts: Iterable[Act], reason: str) -> None:
    """Raise `Invalid` where an adverse act has no reason."""
    if any(act in review_queries.ADVERSE for act in acts) and not reason.strip():
        raise Invalid({"reason": "Give the reason: the annotator reads it, and may appeal."})


def _check_seen(review: Review, seen: int) -> None:
    last = review.rulings.order_by("-pk").select_related("actor").first()
    if last is not None and last.pk != seen:
        raise Conflict(
            f"{last.actor.get_username()} has ruled on this annotator meanwhile: "
            f"{last.get_act_display()}. Look again before you rule."
        )


def _act(review: Review, ruling: Ruling) -> Ruling:
    act = Act(ruling.act)
    if review.status not in SOURCES[act]:
        raise Conflict(
            f"This annotator’s work is {review.get_status_display()}: it cannot be "
            f"{act.label.split(':')[0]} now."
        )
    ruling.save(force_insert=True)
    done = _carry_out(review, ruling)
    audit.record(
        act,
        campaign_id=review.campaign_id,
        actor_id=ruling.actor_id,
        subject=f"annotator:{review.annotator_id}",
        reason=ruling.reason,
        done=done,
        blind=ruling.blind,
        late=ruling.late,
    )
    return ruling


def _carry_out(review: Review, ruling: Ruling) -> str:
    """Do what a ruling says; return what was done, for the log."""
    now = ruling.at
    match Act(ruling.act):
        case Act.CLEAR:
            reviews.rule(review, Status.CLEARED, now=now)
            # The end of a campaign may have waited for it.
            marks.mark(review.campaign_id, "cleared")
            return "leases resume"
        case Act.EXCLUDE:
            reviews.rule(review, Status.EXCLUDED, now=now)
            return f"{exclusions.exclude(review, ruling)} judgments"
        case Act.RESTORE:
            repaid = f", {_repay(review, ruling)}" if review.pay_refused else ""
            reviews.rule(review, Status.CLEARED, now=now)
            return f"{exclusions.restore(review, at=now)} judgments{repaid}"
        case Act.REFUSE:
            reviews.switch_pay(review, refused=True)
            return str(ledger.refuse(review, ruling))
        case Act.REPAY:
            return _repay(review, ruling)
        case Act.BLOCK:
            if done := exclusions.block(review, ruling):
                return done
            raise Conflict("This annotator is blocked already.", code=BLOCKED_ALREADY)
        case Act.UNBLOCK:
            if exclusions.lift(review, at=now):
                return "block lifted"
            raise Conflict("This annotator is not blocked.", code=NOT_BLOCKED)


def _repay(review: Review, ruling: Ruling) -> str:
    """Repay. The log says by how much the budget is exceeded, if `rule` accepted that."""
    reviews.switch_pay(review, refused=False)
    repaid = ledger.repay(review, ruling)
    excess = budget.excess(review.campaign)
    return f"{repaid}, {excess} beyond the budget" if excess else str(repaid)


# Rulings from a reviewer's page, also on unflagged work and across campaigns.


# What holds for all campaigns of an owner, by the code that the next campaign then raises.
DONE_ONCE = {BLOCKED_ALREADY: Act.BLOCK, NOT_BLOCKED: Act.UNBLOCK}


def rule_on_person(
    campaign_id: int,
    annotator_id: int,
    acts: Sequence[Act],
    *,
    actor_id: int,
    reason: str,
    seen: int,
    beyond_budget: bool = False,
) -> list[Ruling]:
    """Rule on this annotator's work, under review or not. All acts happen, or none.

    A review that this ruling opens is closed by it.
    """
    with transaction.atomic():
        mine = Review.objects.filter(campaign=campaign_id, annotator=annotator_id)
        if not mine.exists() and not {Act.CLEAR, Act.EXCLUDE} & set(acts):
            acts = [*acts, Act.CLEAR]
        review_id = reviews.open_by_hand(campaign_id, annotator_id, actor_id=actor_id)
        return rule(
            review_id,
            acts,
            actor_id=actor_id,
            reason=reason,
            seen=seen,
            beyond_budget=beyond_budget,
        )


def rule_once(
    campaign_id: int,
    annotator_id: int,
    acts: Sequence[Act],
    *,
    actor_id: int,
    reason: str,
    seen: int,
) -> list[Ruling]:
    """Rule as `rule` does, without the acts that an earlier campaign of the owner has done."""
    attempt = partial(
        rule_on_person, campaign_id, annotator_id, actor_id=actor_id, reason=reason, seen=seen
    )
    try:
        return attempt(acts)
    except Conflict as refused:
        rest = [act for act in acts if act != DONE_ONCE.get(refused.code)]
        if len(rest) == len(acts) or not rest:
            raise
        return attempt(rest)


# One ruling on several people, each with a reason, a transaction and an outcome of their own.


NOT_OPENED = "You have not opened this case. Open it, or say that you rule without having done so."


@dataclass(frozen=True)
class AskedRuling:
    """The requested ruling for one person. seen: the id of the last ruling shown (0: none)."""

    review: Review
    reason: str
    seen: int


@dataclass(frozen=True)
class RulingOutcome:
    """The result for one person. problem: why nothing was done, or "".

    again: the same rulings had been made before, by the same person, from the same state.
    """

    ruling_ids: tuple[int, ...] = ()
    problem: str = ""
    again: bool = False


def rule_together(
    asked: Sequence[AskedRuling], acts: Sequence[Act], *, actor_id: int, unopened: bool = False
) -> list[RulingOutcome]:
    """Rule on each of these people; one who cannot be ruled on does not stop the others.

    unopened: also on people whose case this person has not opened.
    Repeating it changes nothing: what was done before is found and told.
    """
    seen = reviews.opened(
        actor_id, [(one.review.campaign_id, one.review.annotator_id) for one in asked]
    )
    return [
        _rule_one(
            one,
            acts,
            actor_id=actor_id,
            may=unopened or (one.review.campaign_id, one.review.annotator_id) in seen,
        )
        for one in asked
    ]


def _rule_one(one: AskedRuling, acts: Sequence[Act], *, actor_id: int, may: bool) -> RulingOutcome:
    done = _done_before(one, acts, actor_id=actor_id)
    if done:
        return RulingOutcome(done, again=True)
    if not may:
        return RulingOutcome(problem=NOT_OPENED)
    try:
        _check_member(one.review.campaign_id, actor_id)
        made = rule_once(
            one.review.campaign_id,
            one.review.annotator_id,
            acts,
            actor_id=actor_id,
            reason=one.reason,
            seen=one.seen,
        )
    except ServiceError as refused:
        done = _done_before(one, acts, actor_id=actor_id) if isinstance(refused, Conflict) else ()
        if done:  # at the same time, by the same form in another window
            return RulingOutcome(done, again=True)
        return RulingOutcome(problem=refused.message)
    return RulingOutcome(tuple(ruling.pk for ruling in made))


def _done_before(one: AskedRuling, acts: Sequence[Act], *, actor_id: int) -> tuple[int, ...]:
    """Return the rulings since `seen` if they are exactly these acts of this person; else none.

    A block and its end hold in all campaigns of an owner, so they may have been made elsewhere.
    """
    rows = Ruling.objects.filter(review=one.review.pk, pk__gt=one.seen).order_by("pk")
    made = list(rows.values_list("pk", "act", "actor", "reason"))
    done = [Act(act) for _, act, *_ in made]
    if any((actor, reason) != (actor_id, one.reason.strip()) for *_, actor, reason in made):
        return ()
    elsewhere = [act for act in acts if act not in DONE_ONCE.values()]
    same = done == list(acts) or (done == elsewhere and _block_is_as(one.review, acts))
    return tuple(pk for pk, *_ in made) if made and same else ()


def _block_is_as(review: Review, acts: Sequence[Act]) -> bool:
    blocked = eligibility.block(review.campaign_id, review.annotator_id) is not None
    return blocked == (Act.BLOCK in acts)


def _check_member(campaign_id: int, user_id: int) -> None:
    """Raise `NotAllowed` for somebody who may no longer rule in this campaign."""
    reviewers = Membership.objects.filter(campaign=campaign_id, role__in=Membership.REVIEW)
    if not reviewers.filter(user=user_id).exists():
        raise NotAllowed("You can no longer rule in this campaign.")
