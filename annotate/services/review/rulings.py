"""A reviewer's rulings: clear, exclude, refuse pay, block, and the reversal of each."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotate import adapters
from annotate.errors import Conflict, Invalid
from annotate.models import Review, Ruling
from annotate.selectors.campaigns import blinding
from annotate.selectors.campaigns.blinding import Sight
from annotate.selectors.pay import budget
from annotate.selectors.review import appeal_rights, eligibility, opened
from annotate.services import audit, change_marks
from annotate.services.marketplace import exclusion_lists, messages
from annotate.services.pay import ledger, settling
from annotate.services.review import appeals, exclusions, reviews, states

Act = Ruling.Act
STANDING = (Act.EXCLUDE, Act.RESTORE, Act.BLOCK, Act.UNBLOCK)


def follow(review: Review, made: Iterable[Ruling]) -> None:
    """Intend the effects of these rulings at the crowd, in their transaction; none by link."""
    acts = {Act(ruling.act): ruling for ruling in made}
    if not acts or not adapters.publishes(review.campaign.crowd):
        return
    settling.settle_person(review.campaign_id, review.annotator_id)
    if any(act in STANDING for act in acts):
        exclusion_lists.follow(review)
    messages.decided(review, acts.values())


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
    if any(act in appeal_rights.ADVERSE for act in acts) and not reason.strip():
        raise Invalid({"reason": "Give the reason: the annotator reads it, and may appeal."})
    with transaction.atomic():
        review = reviews.locked(review_id)
        _check_seen(review, seen)
        own = appeals.answered_by(review, actor_id)
        late = Act.RESTORE in acts and eligibility.is_final(review)
        if late and not reason.strip():
            raise Invalid({"reason": FINAL})
        blind = blinding.sight(actor_id, review.campaign) == Sight.BLIND
        before = budget.excess(review.campaign)
        given = {
            "review": review,
            "actor_id": actor_id,
            "reason": reason.strip(),
            "at": timezone.now(),
            "blind": blind,
            "opened": bool(opened.cases(actor_id, [(review.campaign_id, review.annotator_id)])),
        }
        made = [
            _act(review, Ruling(act=act, late=late and act == Act.RESTORE, **given)) for act in acts
        ]
        budget.ask(review.campaign, before=before, beyond_budget=beyond_budget)
        appeals.close(review, acts, answer=reason.strip(), own=own)
        follow(review, made)
    return made


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
    done = DOING[act](review, ruling, ruling.at)
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


def _clear(review: Review, ruling: Ruling, now: datetime) -> str:
    states.rule(review, Status.CLEARED, now=now)
    change_marks.mark(review.campaign_id, "cleared")  # the end of a campaign may have waited for it
    return "leases resume"


def _exclude(review: Review, ruling: Ruling, now: datetime) -> str:
    states.rule(review, Status.EXCLUDED, now=now)
    return f"{exclusions.exclude(review, ruling)} judgments"


def _restore(review: Review, ruling: Ruling, now: datetime) -> str:
    """Restore the work to the estimates; refused pay is restored with it."""
    repaid = _repay(review, ruling, now) if review.pay_refused else ""
    states.rule(review, Status.CLEARED, now=now)
    restored = f"{exclusions.restore(review, at=now)} judgments"
    return f"{restored}, {repaid}" if repaid else restored


def _refuse(review: Review, ruling: Ruling, now: datetime) -> str:
    states.switch_pay(review, refused=True)
    return str(ledger.refuse(review, ruling))


def _repay(review: Review, ruling: Ruling, now: datetime) -> str:
    """Repay. The log says by how much the budget is exceeded, if `rule` accepted that."""
    states.switch_pay(review, refused=False)
    repaid = ledger.repay(review, ruling)
    excess = budget.excess(review.campaign)
    return f"{repaid}, {excess} beyond the budget" if excess else str(repaid)


def _block(review: Review, ruling: Ruling, now: datetime) -> str:
    done = exclusions.block(review, ruling)
    if not done:
        raise Conflict("This annotator is blocked already.", code=BLOCKED_ALREADY)
    return done


def _unblock(review: Review, ruling: Ruling, now: datetime) -> str:
    if not exclusions.lift(review, at=now):
        raise Conflict("This annotator is not blocked.", code=NOT_BLOCKED)
    return "block lifted"


DOING: dict[Act, Callable[[Review, Ruling, datetime], str]] = {
    Act.CLEAR: _clear,
    Act.EXCLUDE: _exclude,
    Act.RESTORE: _restore,
    Act.REFUSE: _refuse,
    Act.REPAY: _repay,
    Act.BLOCK: _block,
    Act.UNBLOCK: _unblock,
}
