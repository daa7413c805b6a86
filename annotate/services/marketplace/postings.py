"""Postings of a batch, stored with the operation that publishes or stops them."""

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

# After publishing, the posting follows the crowd: a full study continues when a place is returned.


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
        if delivery.drop(op.pk) and op.kind == Kind.PUBLISH:
            return
    asked = posting.operations.filter(kind=Kind.STOP)
    last = asked.last()
    goes_on = again or posting.status == Posting.Status.OPEN
    without_effect = {Op.DROPPED} | ({Op.DONE} if goes_on else set())
    if last is None or last.status in without_effect:
        _intend(posting, StopPayload(), f"stop:{posting.public_id}:{asked.count()}")


def stoppable(rows: QuerySet[Posting]) -> QuerySet[Posting]:
    """Return those of `rows` that further people may enter, now or later.

    On a crowd whose full postings may continue, a closed posting is included until it is archived.
    """
    return rows.filter(~Q(status=Posting.Status.CLOSED) | watching.may_go_on())


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
