"""Writing requests with a key of the caller's have one effect, however often they are sent.

The key, the act and its answer are one transaction. Errors are not kept: nothing
was done, so a repeat tries again.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.requests import bodies
from annotate.services.accounts import kept_answers
from annotate.services.accounts.kept_answers import FIELD, FirstAnswer

READING = ("GET", "HEAD", "OPTIONS")
REPEATED = "Idempotency-Replayed"
View = Callable[..., HttpResponseBase]


class DoneBefore(Exception):
    """This request was done before, with this answer."""

    def __init__(self, kept: FirstAnswer) -> None:
        super().__init__(kept.status)
        self.kept = kept


def once(view: View, own_keys: tuple[str, ...]) -> View:
    """Put requests with a key into one transaction with what is kept of them.

    own_keys: methods or actions whose bodies have a key of their own, which does the same.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        actions = getattr(view, "actions", None) or {}
        method = (request.method or "").lower()
        if FIELD not in request.headers or actions.get(method, method) in own_keys:
            return view(request, *args, **kwargs)
        if request.method in READING:
            return view(request, *args, **kwargs)
        request.is_once = True  # type: ignore[attr-defined]
        with transaction.atomic():
            return _kept(request, view(request, *args, **kwargs))

    return wrapped


def begin(request: Request) -> None:
    """Raise `DoneBefore` if this request was done before. Call it when the user is known."""
    plain = request._request
    if getattr(plain, "is_once", False) and request.user.pk is not None:
        path = plain.get_full_path().encode()
        kind = plain.headers.get("Content-Type", "").encode()
        of = kept_answers.digest((plain.method or "").encode(), path, kind, bodies.raw(plain))
        key = plain.headers[FIELD]
        kept = kept_answers.begin(request.user.pk, key, of)
        if kept is not None:
            raise DoneBefore(kept)
        plain.kept_as = request.user.pk, key  # type: ignore[attr-defined]


def replayed(kept: FirstAnswer) -> Response:
    """Return the answer of the first time."""
    data = json.loads(kept.content) if kept.content else None
    return Response(data, status=kept.status, headers={REPEATED: "true"})


def _kept(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Keep the answer of an act; take everything back where there was none."""
    if isinstance(response, Response):
        response.render()
    if response.status_code >= 400:
        transaction.set_rollback(True)
    elif held := getattr(request, "kept_as", None):
        content = getattr(response, "content", b"").decode()
        user_id, key = held
        kept_answers.keep(user_id, key, status=response.status_code, content=content)
    return response
