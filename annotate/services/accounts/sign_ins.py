"""Browsers that are signed in: recorded at the log-in, and signed out from another browser."""

from importlib import import_module

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from annotate.models import SignIn

LONGEST_BROWSER = 200


def note(user_id: int, session_key: str, *, browser: str, address: str) -> None:
    """Note a sign-in, and forget those of this person whose sessions are over."""
    with transaction.atomic():
        over = SignIn.objects.filter(user=user_id).exclude(
            session_key__in=Session.objects.values("session_key")
        )
        over.delete()
        made = {
            "user_id": user_id,
            "browser": _text(browser)[:LONGEST_BROWSER],
            "address": address,
            "at": timezone.now(),
        }
        SignIn.objects.update_or_create(session_key=session_key, defaults=made)


def end(user_id: int, sign_in_id: int) -> bool:
    """Sign a browser of this person out; False if it is signed out, or somebody else's."""
    mine = list(SignIn.objects.filter(user=user_id, pk=sign_in_id))
    _end(mine)
    return bool(mine)


def end_others(user_id: int, *, but: str) -> int:
    """Sign out all browsers of a person except the one with the session `but`; return how many."""
    others = list(SignIn.objects.filter(user=user_id).exclude(session_key=but))
    _end(others)
    return len(others)


def _end(rows: list[SignIn]) -> None:
    store = import_module(settings.SESSION_ENGINE).SessionStore
    for row in rows:
        store(row.session_key).delete()
        row.delete()


def _text(given: str) -> str:
    return "".join(one for one in given if one.isprintable())
