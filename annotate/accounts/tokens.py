"""Tokens with which scripts act as their owner."""

import hashlib
import unicodedata
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed

from annotate.common import audit
from annotate.common import text as common_text
from annotate.common import tokens as common_tokens
from annotate.common.errors import Conflict, Invalid
from annotate.models import ApiToken, KeptAnswer
from annotate.models.accounts import LONGEST_NAME

MOST = 50  # tokens of one person that are in force
DAYS = (30, 90, 365)  # lives to choose from; 0: without an end
BY_PASSWORD = "Made with user name and password"  # noqa: S105  the name of a token


def make_token(user_id: int, name: str, *, days: int | None = 90) -> tuple[ApiToken, str]:
    """Return a new token and its secret, which is not stored. days: its life; None: no end."""
    name = common_text.tidy(name)
    if not common_text.can_be_seen(name) or len(name) > LONGEST_NAME or not _is_text(name):
        raise Invalid({"name": f"Type a name of at most {LONGEST_NAME} characters."})
    now, secret = timezone.now(), common_tokens.fresh()
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user_id)  # two requests count in turn
        if in_force(user_id).count() >= MOST:
            raise Conflict(f"You have {MOST} tokens. Revoke one that you do not need, then retry.")
        made = ApiToken.objects.create(
            user_id=user_id,
            name=name,
            digest=common_tokens.digest(secret),
            created_at=now,
            expires_at=now + timedelta(days=days) if days else None,
        )
        _record("token_made", made, actor_id=user_id)
    return made, secret


def make_by_password(user_id: int) -> str:
    """Return the secret of a new token for a script that signs in; the oldest one makes room."""
    mine = in_force(user_id)
    if mine.count() >= MOST:
        oldest = mine.filter(name=BY_PASSWORD).order_by("pk").first()
        if oldest is not None:
            revoke(user_id, oldest.pk)
    return make_token(user_id, BY_PASSWORD, days=365)[1]


def revoke(user_id: int, token_id: int) -> bool:
    """End a token of this person; False if it was revoked before, or is somebody else's."""
    mine = ApiToken.objects.filter(user=user_id, pk=token_id)
    return bool(_revoke(mine, actor_id=user_id))


def _revoke(tokens: QuerySet[ApiToken], *, actor_id: int | None) -> int:
    """End those that nobody has revoked; return how many."""
    with transaction.atomic():
        found = list(tokens.filter(revoked_at=None).select_for_update())
        for one in found:
            _record("token_revoked", one, actor_id=actor_id)
        return tokens.filter(pk__in=[one.pk for one in found]).update(revoked_at=timezone.now())


def _record(verb: str, token: ApiToken, *, actor_id: int | None) -> None:
    subject = f"account:{token.user_id}"
    audit.record(
        verb, campaign_id=None, actor_id=actor_id, subject=subject, token=token.pk, name=token.name
    )


class EndWithPassword:
    """Ends a person's tokens with their password, however it is changed: page, mail or command.

    It stands among AUTH_PASSWORD_VALIDATORS, whose `password_changed` Django calls after each
    change, and not where it stores the same password anew.
    """

    def validate(self, password: str, user: Any = None) -> None:
        """Take every password."""

    def get_help_text(self) -> str:
        return "A new password revokes your API tokens."

    def password_changed(self, password: str, user: Any = None) -> None:
        _revoke(ApiToken.objects.filter(user=user.pk), actor_id=None)


def owner(secret: str) -> ApiToken | None:
    """Return the token in force that has this secret, with its user; its use is noted by day."""
    found = ApiToken.objects.filter(
        _in_force(), digest=common_tokens.digest(secret), user__is_active=True
    )
    token = found.select_related("user").first()
    today = timezone.now().date()
    if token is not None and token.used_on != today:
        ApiToken.objects.filter(pk=token.pk).update(used_on=today)
    return token


def in_force(user_id: int):  # type: ignore[no-untyped-def]
    return ApiToken.objects.filter(_in_force(), user=user_id)


def _in_force() -> Q:
    lasting = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    return lasting & Q(revoked_at=None)


def _is_text(name: str) -> bool:
    return not any(unicodedata.category(one) in ("Cc", "Cs") for one in name)


# Answers of the API that are kept with the caller's key, so that a repeat has no second effect.


LONGEST_KEY = 200
KEPT = timedelta(days=1)
FIELD = "Idempotency-Key"


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


def begin(user_id: int, key: str, of: str) -> KeptAnswer | None:
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
    return kept


def keep(user_id: int, key: str, *, status: int, content: str) -> None:
    """Keep the answer, in the same transaction."""
    KeptAnswer.objects.filter(user=user_id, key=key).update(answered=status, content=content)


def forget() -> int:
    """Delete answers that are older than a day; return how many."""
    return KeptAnswer.objects.filter(created_at__lt=timezone.now() - KEPT).delete()[0]


# Tokens of scripts: `Authorization: Token SECRET`, compared by their digests.


class TokenAuthentication(authentication.TokenAuthentication):
    def authenticate_credentials(self, key: str) -> tuple[User, Any]:
        token = owner(key)
        if token is None:
            raise AuthenticationFailed("This token is unknown, expired or revoked. Make another.")
        return token.user, token
