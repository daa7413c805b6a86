"""Tokens with which scripts act as their owner."""

import unicodedata
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate.errors import Conflict, Invalid
from annotate.models import ApiToken
from annotate.models.accounts import LONGEST_NAME
from annotate.services import audit
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
        _record("token_made", made, actor_id=user_id)
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
