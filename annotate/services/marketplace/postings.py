"""Postings of a batch: stored with the operation that publishes or stops them."""

import secrets

from django.conf import settings
from django.db.models import Q, QuerySet

from annotate import tokens
from annotate.models import Batch, Operation, Posting
from annotate.models.base import ALPHABET
from annotate.models.payloads import (
    AddPlacesPayload,
    ArchivePayload,
    Payload,
    PublishPayload,
    StopPayload,
)
from annotate.selectors.marketplace import watching
from annotate.services.outbox import delivery, intents

# Once it is published its crowd says where it stands, and is followed: a study that was full goes
# on when somebody gives a place back.


CODE_LENGTH = 8
Kind, Op = Operation.Kind, Operation.Status


def address(crowd: str, public_id: str) -> str:
    """Return where a posting's people come in; the signed token is ours for this posting."""
    return f"{settings.PUBLIC_URL}/work/on/{crowd}/{tokens.posting_token(public_id)}/"


def plan(batch: Batch, places: int, *, key: str) -> Posting:
    """Store a posting that will be published, in the caller's transaction.

    What is published is fixed here, the address included: its signature carries the time, and
    a crowd takes a repeated key only with the very same posting.
    """
    posting = Posting.objects.create(
        batch=batch, places=places, environment=batch.environment, code=code()
    )
    url = address(batch.crowd, posting.public_id)
    _intend(posting, PublishPayload(places=places, url=url), key)
    return posting


def grow(posting: Posting, places: int, *, key: str) -> None:
    """Let a posting that is open have more places, in the caller's transaction."""
    _intend(posting, AddPlacesPayload(places=places), key)


def stop(posting: Posting, *, again: bool = False) -> None:
    """Stop a posting, in the caller's transaction; an operation that was not sent is dropped.

    Safe to repeat. It is meant again where a person has dropped it, and where the crowd goes on
    although it was stopped (`again`, or its posting is open).
    """
    for op in posting.operations.filter(kind__in=(Kind.PUBLISH, Kind.ADD_PLACES)):
        if delivery.drop(op.pk) and op.kind == Kind.PUBLISH:
            return
    asked = posting.operations.filter(kind=Kind.STOP)
    last = asked.last()
    goes_on = again or posting.status == Posting.Status.OPEN
    without_effect = {Op.DROPPED} | ({Op.DONE} if goes_on else set())
    if last is None or last.status in without_effect:
        _intend(posting, StopPayload(), f"stop:{posting.public_id}:{asked.count()}")


def stoppable(rows: QuerySet[Posting]) -> QuerySet[Posting]:
    """Return those of `rows` in which somebody new may come, now or later.

    Where a full posting may go on, a closed one is among them until it is put away.
    """
    return rows.filter(~Q(status=Posting.Status.CLOSED) | watching.may_go_on())


def archive(posting: Posting) -> None:
    """Let the crowd put a closed posting away, in the caller's transaction."""
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
