"""Postings: why they cannot be published, their status, and what is asked of a crowd about them."""

import secrets
from collections.abc import Collection, Iterable, Iterator
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotate.campaigns import progress
from annotate.common import audit, intents, locks, tokens
from annotate.common.errors import Conflict
from annotate.common.numbers import DOLLARS, count, money_text
from annotate.crowds import contract, outbox
from annotate.crowds import queries as crowds_queries
from annotate.crowds.contract import Effect, ListingProblem, Marketplace, Outcome, Spec, Terms
from annotate.crowds.outbox import Handler, register
from annotate.crowds.prices import CENT, ZERO
from annotate.models import Batch, Campaign, Operation, Posting
from annotate.models.base import ALPHABET
from annotate.models.crowds import (
    AddPlacesPayload,
    ArchivePayload,
    Payload,
    PublishPayload,
    StopPayload,
)
from annotate.pay import budget

MOST_PLACES = 10_000
Status = Campaign.Status


def against(
    campaign: Campaign, *, places: int, tasks: int, total: Decimal, currency: str = DOLLARS
) -> Iterator[ListingProblem]:
    """Yield why `places` more units cannot be published now."""
    if campaign.status not in (Status.OPEN, Status.CLOSING):
        yield ListingProblem("campaign", f"The campaign is {campaign.status}. Open it first.")
    elif places > 0 and tasks > 0:
        # People who took a place without work would be paid.
        if not (needed := units_needed(campaign.pk, tasks)):
            yield ListingProblem(
                "places",
                "Nothing is missing: every planned judgment is given, in progress, or offered "
                "already.",
            )
        elif places > needed:
            yield ListingProblem(
                "places",
                f"Only {count(needed)} submissions of {tasks} tasks are missing. Ask for no more "
                "than that: people who took another would find no task and would be paid.",
            )
    rest = budget.left(campaign)
    if rest is not None and total > rest:
        yield ListingProblem(
            "budget",
            f"This may cost {money_text(total, currency)}, but only "
            f"{money_text(max(rest, ZERO), currency)} of the campaign’s budget is left. Take fewer "
            "places: a budget is fixed when its campaign is made.",
        )


def units_needed(campaign_id: int, tasks: int) -> int:
    """Return how many units of `tasks` tasks are needed for the free slots that no unit covers.

    Some of the tasks are gold items, which fill no slot.
    """
    share = Campaign.objects.values_list("gold_share", flat=True).get(pk=campaign_id)
    coming = sum(one.units * one.tasks for one in budget.untaken(campaign_id))
    wanted = budget.with_gold(progress.missing(campaign_id), share)
    missing = wanted - budget.promised_tasks(campaign_id) - coming
    return max(0, -(-missing // tasks))


def by_field(problems: Iterable[ListingProblem]) -> dict[str, str]:
    """Return one text per field."""
    found: dict[str, list[str]] = {}
    for problem in problems:
        found.setdefault(problem.field or "launch", []).append(problem.message)
    return {name: " ".join(messages) for name, messages in found.items()}


def of_numbers(
    campaign: Campaign, terms: Terms, places: int, reward: Decimal
) -> Iterator[ListingProblem]:
    if not 1 <= places <= MOST_PLACES:
        yield ListingProblem("places", f"Ask for 1 to {count(MOST_PLACES)} places.")
    if terms.tasks < 1:
        yield ListingProblem("tasks", "One submission holds at least one task.")
        return
    if campaign.annotator_cap is not None and terms.tasks > campaign.annotator_cap:
        yield ListingProblem(
            "tasks",
            f"One person may do {campaign.annotator_cap} tasks in this campaign, so a submission "
            f"of {terms.tasks} could never be finished.",
        )
    if reward <= 0:
        yield ListingProblem(
            "reward",
            "A crowd requires a reward, and this campaign’s reward is 0. A reward is fixed when "
            "its campaign is made: make another.",
        )
    elif reward != reward.quantize(CENT):
        yield ListingProblem("reward", "The reward is in whole cents.")


def without_effect(terms: Terms, crowd: Marketplace) -> Iterator[ListingProblem]:
    """Name the terms that have no effect on this crowd."""
    words = {
        "keywords": "has no keywords",
        "auto_approval": f"approves automatically after {crowd.refusal_limit.days} days, "
        "and this cannot be changed",
    }
    for name in crowd.can.no_effect:
        if getattr(terms, name):
            yield ListingProblem(name, f"{crowd.label} {words[name]}. Leave this out.")


def of_times(terms: Terms, crowd: Marketplace) -> Iterator[ListingProblem]:
    ours = terms.auto_approval is not None
    limit = terms.auto_approval if terms.auto_approval is not None else crowd.refusal_limit
    if crowd.can.auto_approval and terms.approve_after >= limit:
        yield ListingProblem(
            "approve_after",
            "The crowd would approve the work automatically before your reviewers’ time is over. "
            f"Give them less time{', or let it approve later' if ours else ''}.",
        )


# The only writer of a posting's status (data rule 2).


Stage = Posting.Status

TRANSITIONS: dict[Stage, frozenset[Stage]] = {
    Stage.PLANNED: frozenset({Stage.OPEN, Stage.FAILED, Stage.CLOSED}),
    Stage.FAILED: frozenset({Stage.PLANNED, Stage.OPEN, Stage.FAILED, Stage.CLOSED}),
    Stage.OPEN: frozenset({Stage.DRAINING, Stage.CLOSED}),
    Stage.DRAINING: frozenset({Stage.OPEN, Stage.CLOSED}),
    Stage.CLOSED: frozenset({Stage.OPEN, Stage.DRAINING}),
}
OF_STAGE = {
    contract.Stage.OPEN: Stage.OPEN,
    contract.Stage.DRAINING: Stage.DRAINING,
    contract.Stage.CLOSED: Stage.CLOSED,
}


def move(posting: Posting, to: Stage, *, sources: Collection[Stage], **fields: Any) -> bool:
    """Move from one of `sources` to `to`, and log it, in the caller's transaction.

    `fields` change along with it. Returns False and changes nothing in any other state.
    """

    def record() -> None:
        subject = f"posting:{posting.public_id}"
        audit.record(f"posting_{to}", campaign_id=posting.batch.campaign_id, subject=subject)

    mine = Posting.objects.filter(pk=posting.pk)
    return bool(audit.change(mine, TRANSITIONS, to, sources=sources, record=record, **fields))


def sources(to: Stage) -> tuple[Stage, ...]:
    """Return the states from which a published posting may follow its crowd."""
    return tuple(one for one in OF_STAGE.values() if to in TRANSITIONS[one])


# Postings of a batch, stored with the operation that publishes or stops them. After publishing, the
# posting follows the crowd: a full study continues when a place is returned.


CODE_LENGTH = 8
Kind, Op = Operation.Kind, Operation.Status


def address(crowd: str, public_id: str) -> str:
    """Return where a posting's people enter. The signed token is ours and names this posting."""
    return f"{settings.PUBLIC_URL}/work/on/{crowd}/{tokens.posting_token(public_id)}/"


def plan(batch: Batch, places: int, *, key: str) -> Posting:
    """Store a posting for publishing, in the caller's transaction.

    The published content is fixed here, including the address: its signature contains the time, and
    a crowd accepts a repeated key only with exactly the same posting.
    """
    posting = Posting.objects.create(
        batch=batch, places=places, environment=batch.environment, code=code()
    )
    url = address(batch.crowd, posting.public_id)
    _intend(posting, PublishPayload(places=places, url=url), key)
    return posting


def grow(posting: Posting, places: int, *, key: str) -> None:
    """Give an open posting more places, in the caller's transaction."""
    _intend(posting, AddPlacesPayload(places=places), key)


def stop(posting: Posting, *, again: bool = False) -> None:
    """Stop a posting, in the caller's transaction; an unsent operation is dropped.

    Safe to repeat. It is intended again where a person has dropped the stop, and where the crowd
    continues although it was stopped (`again`, or its posting is open).
    """
    for op in posting.operations.filter(kind__in=(Kind.PUBLISH, Kind.ADD_PLACES)):
        if outbox.drop(op.pk) and op.kind == Kind.PUBLISH:
            return
    asked = posting.operations.filter(kind=Kind.STOP)
    last = asked.last()
    goes_on = again or posting.status == Stage.OPEN
    without_effect = {Op.DROPPED} | ({Op.DONE} if goes_on else set())
    if last is None or last.status in without_effect:
        _intend(posting, StopPayload(), f"stop:{posting.public_id}:{asked.count()}")


def stoppable(rows: QuerySet[Posting]) -> QuerySet[Posting]:
    """Return those of `rows` that further people may enter, now or later.

    On a crowd whose full postings may continue, a closed posting is included until it is archived.
    """
    return rows.filter(~Q(status=Stage.CLOSED) | crowds_queries.may_go_on())


def archive(posting: Posting) -> None:
    """Archive a closed posting at the crowd, in the caller's transaction."""
    _intend(posting, ArchivePayload(), f"archive:{posting.public_id}")


def code() -> str:
    """Return a completion code that is hard to guess and easy to type."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH)).upper()


def _intend(posting: Posting, payload: Payload, key: str) -> None:
    batch = posting.batch
    intents.intend(
        payload,
        key=key,
        campaign_id=batch.campaign_id,
        crowd=batch.crowd,
        environment=posting.environment,
        batch_id=batch.pk,
        posting_id=posting.pk,
    )


# Postings: publish, add places, stop, archive. A posting's status changes as the crowd confirms.
#
# `reconciling` follows the crowd's state of the posting afterwards, and how full it is.


NOT_YET = (Stage.PLANNED, Stage.FAILED)


def _posting(op: Operation) -> Posting:
    return Posting.objects.select_related("batch").get(operations=op)


def _note(op: Operation, **fields: Any) -> None:
    """Update fields of the posting other than its status."""
    audit.note(Posting.objects.filter(operations=op), **fields)


def _others(op: Operation) -> QuerySet[Operation]:
    """Return the other operations of the same posting."""
    return Operation.objects.filter(posting=op.posting_id).exclude(pk=op.pk)


# ---------------------------------------------------------------- publish


def spec(op: Operation) -> Spec:
    """Return what is published. Rows fix it, so a repeated call says the same."""
    posting, told = _posting(op), PublishPayload.of(op)
    agreed = contract.from_json(posting.batch.terms)
    return agreed.spec(
        reward=Decimal(posting.batch.reward),
        places=told.places,
        url=told.url,
        code=posting.code,
    )


def _publish(op: Operation, crowd: Marketplace) -> Outcome:
    return crowd.publish(spec(op), op.token)


def _find_published(op: Operation, crowd: Marketplace) -> Outcome | None:
    found = crowd.find_postings(op.token)
    return Outcome(Effect.ALREADY, posted=found[0]) if found else None


def _published(op: Operation, outcome: Outcome) -> None:
    posting = _posting(op)
    if not outcome.happened:
        move(posting, Stage.FAILED, sources=NOT_YET, problem=outcome.message)
        return
    posted = outcome.posted
    if posted is None:
        raise Conflict("The crowd’s name for this posting is unknown. Have it looked for.")
    lifetime = contract.from_json(posting.batch.terms).lifetime
    move(
        posting,
        Stage.OPEN,
        sources=NOT_YET,
        external_id=posted.listing,
        external_group=posted.group,
        url=posted.url,
        problem="",
        expires_at=timezone.now() + lifetime,
    )
    outbox.hurry(_others(op))


def _publish_again(op: Operation) -> None:
    """Check again before a retry: its money and its work may have been promised elsewhere."""
    posting = _posting(op)
    _ask_again(op, posting.batch, PublishPayload.of(op).places)
    move(posting, Stage.PLANNED, sources=[Stage.FAILED], problem="")


def _ask_again(op: Operation, batch: Batch, places: int) -> None:
    campaign = locks.campaign(op.campaign_id)
    total = places * budget.unit_price(campaign, batch.reward)
    found = against(campaign, places=places, tasks=batch.tasks, total=total)
    if problems := " ".join(problem.message for problem in found):
        raise Conflict(f"It is not tried again. {problems}")


def _unpublished(op: Operation) -> None:
    move(_posting(op), Stage.CLOSED, sources=NOT_YET, problem="")
    outbox.hurry(_others(op))


# ---------------------------------------------------------------- what comes after


def _not_there(posting: Posting) -> Outcome | None:
    """Return why nothing can be asked of this posting now; None if it can."""
    if posting.external_id:
        return None
    publishing = posting.operations.filter(kind=Kind.PUBLISH, status__in=Operation.UNDONE)
    if publishing.exists():
        return Outcome(Effect.RETRYABLE, "unpublished", "It waits until the posting is published.")
    return Outcome(Effect.ALREADY, "unpublished", "It was never published.")


def _add(op: Operation, crowd: Marketplace) -> Outcome:
    posting = _posting(op)
    if missing := _not_there(posting):
        return missing
    if posting.status != Stage.OPEN:
        return Outcome(Effect.REFUSED, "closed", "The posting has been stopped meanwhile.")
    earlier = _others(op).filter(kind=Kind.ADD_PLACES, status__in=Operation.UNDONE, pk__lt=op.pk)
    if earlier.exists():
        return Outcome(Effect.RETRYABLE, "queue", "It waits for an earlier extension.")
    return crowd.add_places(posting.external_id, AddPlacesPayload.of(op).places, op.token)


def _find_added(op: Operation, crowd: Marketplace) -> Outcome | None:
    """Return success if the count shows the new places: extensions are sequential."""
    posting = _posting(op)
    level = crowd.posting_level(posting.external_id)
    grown = level.places >= posting.places + AddPlacesPayload.of(op).places
    return Outcome(Effect.ALREADY) if grown else None


def _added(op: Operation, outcome: Outcome) -> None:
    if outcome.happened and outcome.code != "unpublished":
        _note(op, places=F("places") + AddPlacesPayload.of(op).places, problem="")
    elif not outcome.happened:
        _note(op, problem=outcome.message)
    outbox.hurry(_others(op))


def _add_again(op: Operation) -> None:
    _ask_again(op, _posting(op).batch, AddPlacesPayload.of(op).places)


def _stop(op: Operation, crowd: Marketplace) -> Outcome:
    posting = _posting(op)
    return _not_there(posting) or crowd.stop(posting.external_id)


def _stopped(op: Operation, outcome: Outcome) -> None:
    if outcome.happened:
        move(_posting(op), Stage.DRAINING, sources=[Stage.OPEN], problem="")
    else:
        _note(op, problem=outcome.message)


def _archive(op: Operation, crowd: Marketplace) -> Outcome:
    posting = _posting(op)
    return _not_there(posting) or crowd.archive(posting.external_id)


def _archived(op: Operation, outcome: Outcome) -> None:
    if not outcome.happened:
        _note(op, problem=outcome.message)


register(
    Kind.PUBLISH,
    Handler(
        _publish,
        _published,
        _find_published,
        keyed=True,
        dropped=_unpublished,
        again=_publish_again,
    ),
)
register(
    Kind.ADD_PLACES,
    Handler(_add, _added, _find_added, keyed=True, again=_add_again),
)
register(Kind.STOP, Handler(_stop, _stopped, natural=True))
register(Kind.ARCHIVE, Handler(_archive, _archived, natural=True))
