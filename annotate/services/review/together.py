"""One ruling on several people, each with a reason, a transaction and an outcome of their own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotate.errors import Conflict, NotAllowed, ServiceError
from annotate.models import Membership, Ruling
from annotate.selectors.review import eligibility, opened
from annotate.services.review import reviewing

Act = Ruling.Act
NOT_OPENED = "You have not opened this case. Open it, or say that you rule without having done so."


@dataclass(frozen=True)
class AskedRuling:
    """The requested ruling for one person. seen: the id of the last ruling shown (0: none)."""

    review_id: int
    campaign_id: int
    annotator_id: int
    reason: str
    seen: int


@dataclass(frozen=True)
class RulingOutcome:
    """The result for one person. problem: why nothing was done, or "".

    again: the same rulings had been made before, by the same person, from the same state.
    """

    review_id: int
    ruling_ids: tuple[int, ...] = ()
    problem: str = ""
    again: bool = False


def rule_together(
    asked: Iterable[AskedRuling], acts: Sequence[Act], *, actor_id: int, unopened: bool = False
) -> list[RulingOutcome]:
    """Rule on each of these people; one who cannot be ruled on does not stop the others.

    unopened: also on people whose case this person has not opened.
    Repeating it changes nothing: what was done before is found and told.
    """
    every = list(asked)
    seen = opened.cases(actor_id, [(one.campaign_id, one.annotator_id) for one in every])
    return [
        _rule_one(
            one,
            acts,
            actor_id=actor_id,
            may=unopened or (one.campaign_id, one.annotator_id) in seen,
        )
        for one in every
    ]


def _rule_one(one: AskedRuling, acts: Sequence[Act], *, actor_id: int, may: bool) -> RulingOutcome:
    done = _done_before(one, acts, actor_id=actor_id)
    if done:
        return RulingOutcome(one.review_id, done, again=True)
    if not may:
        return RulingOutcome(one.review_id, problem=NOT_OPENED)
    try:
        _check_member(one.campaign_id, actor_id)
        made = reviewing.rule_once(
            one.campaign_id,
            one.annotator_id,
            acts,
            actor_id=actor_id,
            reason=one.reason,
            seen=one.seen,
        )
    except ServiceError as refused:
        done = _done_before(one, acts, actor_id=actor_id) if isinstance(refused, Conflict) else ()
        if done:  # at the same time, by the same form in another window
            return RulingOutcome(one.review_id, done, again=True)
        return RulingOutcome(one.review_id, problem=refused.message)
    return RulingOutcome(one.review_id, tuple(ruling.pk for ruling in made))


def _done_before(one: AskedRuling, acts: Sequence[Act], *, actor_id: int) -> tuple[int, ...]:
    """Return the rulings since `seen` if they are exactly these acts of this person; else none.

    A block and its end hold in all campaigns of an owner, so they may have been made elsewhere.
    """
    rows = Ruling.objects.filter(review=one.review_id, pk__gt=one.seen).order_by("pk")
    made = list(rows.values_list("pk", "act", "actor", "reason"))
    done = [Act(act) for _, act, *_ in made]
    if any((actor, reason) != (actor_id, one.reason.strip()) for *_, actor, reason in made):
        return ()
    elsewhere = [act for act in acts if act not in reviewing.DONE_ONCE.values()]
    same = done == list(acts) or (done == elsewhere and _block_is_as(one, acts))
    return tuple(pk for pk, *_ in made) if made and same else ()


def _block_is_as(one: AskedRuling, acts: Sequence[Act]) -> bool:
    blocked = eligibility.block(one.campaign_id, one.annotator_id) is not None
    return blocked == (Act.BLOCK in acts)


def _check_member(campaign_id: int, user_id: int) -> None:
    """Raise `NotAllowed` for somebody who may no longer rule in this campaign."""
    reviewers = Membership.objects.filter(campaign=campaign_id, role__in=Membership.REVIEW)
    if not reviewers.filter(user=user_id).exists():
        raise NotAllowed("You can no longer rule in this campaign.")
