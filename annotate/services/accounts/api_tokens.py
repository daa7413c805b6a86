"""Tokens with which scripts act as their owner."""

import unicodedata
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotate.errors import Conflict, Invalid
from annotate.models import ApiToken
from annotate.models.accounts import LONGEST_NAME
from annotate.services.accounts import secrets
from annotate.text import names

MOST = 50  # tokens of one person that are in force
DAYS = (30, 90, 365)  # lives to choose from; 0: without an end
BY_PASSWORD = "Made with user name and password"  # noqa: S105  the name of a token


def make(user_id: int, name: str, *, days: int | None = 90) -> tuple[ApiToken, str]:
    """Return a new token and its secret, which is not stored. days: its life; None: no end."""
    name = names.tidy(name)
    if not names.can_be_seen(name) or len(name) > LONGEST_NAME or not _is_text(name):
        raise Invalid({"name": f"Type a name of at most {LONGEST_NAME} characters."})
    now, secret = timezone.now(), secrets.fresh()
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user_id)  # two requests count in turn
        if in_force(user_id).count() >= MOST:
            raise Conflict(f"You have {MOST} tokens. Revoke one that you do not need, then retry.")
        made = ApiToken.objects.create(
            user_id=user_id,
            name=name,
            digest=secrets.digest(secret),
            created_at=now,
            expires_at=now + timedelta(days=days) if days else None,
        )
    return made, secret


def make_by_password(user_id: int) -> str:
    """Return the secret of a new token for a script that signs in; the oldest one makes room."""
    mine = in_force(user_id)
    if mine.count() >= MOST:
        oldest = mine.filter(name=BY_PASSWORD).order_by("pk").first()
        if oldest is not None:
            revoke(user_id, oldest.pk)
    return make(user_id, BY_PASSWORD, days=365)[1]


def revoke(user_id: int, token_id: int) -> bool:
    """End a token of this person; False if it was revoked before, or is somebody else's."""
    mine = ApiToken.objects.filter(user=user_id, pk=token_id, revoked_at=None)
    return bool(mine.update(revoked_at=timezone.now()))


def owner(secret: str) -> ApiToken | None:
    """Return the token in force that has this secret, with its user; its use is noted by day."""
    found = ApiToken.objects.filter(
        _in_force(), digest=secrets.digest(secret), user__is_active=True
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
