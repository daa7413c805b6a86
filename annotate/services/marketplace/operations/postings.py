"""Postings: publish, add places, stop, archive. A posting's status changes as the crowd confirms.

`reconciling` follows the crowd's state of the posting afterwards, and how full it is.
"""

from decimal import Decimal
from typing import Any

from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.crowds import terms
from annotate.crowds.base import Effect, Marketplace, Outcome, Spec
from annotate.errors import Conflict
from annotate.models import Batch, Operation, Posting
from annotate.models.payloads import AddPlacesPayload, PublishPayload
from annotate.selectors.pay import budget
from annotate.services import locks, transitions
from annotate.services.marketplace import posting_states
from annotate.services.marketplace.offer_problems import against
from annotate.services.outbox import delivery
from annotate.services.outbox.handlers import Handler, register

Kind, Stage = Operation.Kind, Posting.Status
NOT_YET = (Stage.PLANNED, Stage.FAILED)


def _posting(op: Operation) -> Posting:
    return Posting.objects.select_related("batch").get(operations=op)


def _note(op: Operation, **fields: Any) -> None:
    """Update fields of the posting other than its status."""
    transitions.note(Posting.objects.filter(operations=op), **fields)


def _others(op: Operation) -> QuerySet[Operation]:
    """Return the other operations of the same posting."""
    return Operation.objects.filter(posting=op.posting_id).exclude(pk=op.pk)


# ---------------------------------------------------------------- publish


def spec(op: Operation) -> Spec:
    """Return what is published. Rows fix it, so a repeated call says the same."""
    posting, told = _posting(op), PublishPayload.of(op)
    agreed = terms.from_json(posting.batch.terms)
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
        posting_states.move(posting, Stage.FAILED, sources=NOT_YET, problem=outcome.message)
        return
    posted = outcome.posted
    if posted is None:
        raise Conflict("The crowd’s name for this posting is unknown. Have it looked for.")
    lifetime = terms.from_json(posting.batch.terms).lifetime
    posting_states.move(
        posting,
        Stage.OPEN,
        sources=NOT_YET,
        external_id=posted.listing,
        external_group=posted.group,
        url=posted.url,
        problem="",
        expires_at=timezone.now() + lifetime,
    )
    delivery.hurry(_others(op))


def _publish_again(op: Operation) -> None:
    """Check again before a retry: its money and its work may have been promised elsewhere."""
    posting = _posting(op)
    _ask_again(op, posting.batch, PublishPayload.of(op).places)
    posting_states.move(posting, Stage.PLANNED, sources=[Stage.FAILED], problem="")


def _ask_again(op: Operation, batch: Batch, places: int) -> None:
    campaign = locks.campaign(op.campaign_id)
    total = places * budget.unit_price(campaign, batch.reward)
    found = against(campaign, places=places, tasks=batch.tasks, total=total)
    if problems := " ".join(problem.message for problem in found):
        raise Conflict(f"It is not tried again. {problems}")


def _unpublished(op: Operation) -> None:
    posting_states.move(_posting(op), Stage.CLOSED, sources=NOT_YET, problem="")
    delivery.hurry(_others(op))


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
    delivery.hurry(_others(op))


def _add_again(op: Operation) -> None:
    _ask_again(op, _posting(op).batch, AddPlacesPayload.of(op).places)


def _stop(op: Operation, crowd: Marketplace) -> Outcome:
    posting = _posting(op)
    return _not_there(posting) or crowd.stop(posting.external_id)


def _stopped(op: Operation, outcome: Outcome) -> None:
    if outcome.happened:
        posting_states.move(_posting(op), Stage.DRAINING, sources=[Stage.OPEN], problem="")
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
