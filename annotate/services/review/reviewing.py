"""Rulings from a reviewer's page, also on unflagged work and across campaigns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from annotate.errors import Conflict, Invalid, ServiceError
from annotate.models import Review, Ruling
from annotate.selectors.review.across_campaigns import Elsewhere
from annotate.services.review import reviews, rulings

Act = Ruling.Act
# What holds for all campaigns of an owner, by the code that the next campaign then raises.
DONE_ONCE = {rulings.BLOCKED_ALREADY: Act.BLOCK, rulings.NOT_BLOCKED: Act.UNBLOCK}


@dataclass(frozen=True)
class Result:
    """The outcome for one campaign; `problem` is "" where the rulings were made."""

    campaign: str
    campaign_name: str
    ruling_ids: tuple[int, ...]
    problem: str = ""


def rule(
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
        return rulings.rule(
            review_id,
            acts,
            actor_id=actor_id,
            reason=reason,
            seen=seen,
            beyond_budget=beyond_budget,
        )


def rule_everywhere(
    chosen: Iterable[Elsewhere], acts: Sequence[Act], *, actor_id: int, reason: str
) -> list[Result]:
    """Make the same rulings in several campaigns, each in its own transaction; return the outcomes.

    A block holds in all campaigns of an owner, and so does its end, so the owner's next campaigns
    skip an act that the first one has done. Raises `Invalid` for an invalid reason, which is then
    invalid in all of them.
    """
    results = []
    for one in chosen:
        try:
            made = rule_once(
                one.campaign_id,
                one.annotator_id,
                acts,
                actor_id=actor_id,
                reason=reason,
                seen=one.seen,
            )
        except Invalid:
            raise
        except ServiceError as refused:
            results.append(Result(one.campaign, one.campaign_name, (), refused.message))
        else:
            done = tuple(ruling.pk for ruling in made)
            results.append(Result(one.campaign, one.campaign_name, done))
    return results


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

    def attempt(chosen: Sequence[Act]) -> list[Ruling]:
        return rule(campaign_id, annotator_id, chosen, actor_id=actor_id, reason=reason, seen=seen)

    try:
        return attempt(acts)
    except Conflict as refused:
        rest = [act for act in acts if act != DONE_ONCE.get(refused.code)]
        if len(rest) == len(acts) or not rest:
            raise
        return attempt(rest)
