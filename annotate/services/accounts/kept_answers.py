"""Answers of the API that are kept with the caller's key, so that a repeat has no second effect."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from annotate.errors import Conflict, Invalid
from annotate.models import KeptAnswer

LONGEST_KEY = 200
KEPT = timedelta(days=1)
FIELD = "Idempotency-Key"


@dataclass(frozen=True)
class FirstAnswer:
    """The first answer to a request. content: JSON, or nothing."""

    status: int
    content: str


def digest(*parts: bytes) -> str:
    """Return the digest that identifies a request."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()


def check(key: str) -> None:
    """Raise `Invalid` for what is no key."""
    if not 0 < len(key) <= LONGEST_KEY or not all("!" <= one <= "~" for one in key):
        raise Invalid({FIELD: f"A key has 1 to {LONGEST_KEY} visible ASCII characters."})


def begin(user_id: int, key: str, of: str) -> FirstAnswer | None:
    """Return the answer that is kept for this key; None for a new one, which is now taken.

    Call it in the transaction of the act. A request with the same key waits here until the first
    is committed, or taken back. of: the digest of the request.
    """
    check(key)
    kept, is_new = KeptAnswer.objects.get_or_create(
        user_id=user_id, key=key, defaults={"digest": of, "created_at": timezone.now()}
    )
    if is_new:
        return None
    if kept.digest != of:
        raise Conflict("This key was used for another request. Use a new key for each request.")
    return FirstAnswer(kept.answered or 200, kept.content)


def keep(user_id: int, key: str, *, status: int, content: str) -> None:
    """Keep the answer, in the same transaction."""
    KeptAnswer.objects.filter(user=user_id, key=key).update(answered=status, content=content)


def forget() -> int:
    """Delete answers that are older than a day; return how many."""
    return KeptAnswer.objects.filter(created_at__lt=timezone.now() - KEPT).delete()[0]
