"""Bodies of requests: how long they may be, and JSON in them."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, RawPostDataException

from annotate.errors import ServiceError
from annotate.text.figures import count

V = TypeVar("V", bound=Callable[..., Any])


class TooLarge(ServiceError):
    """The body is larger than this address takes; it was not read."""

    status = 413
    code = "too_large"


def length(request: HttpRequest) -> int:
    """Return how long the body says that it is; without a length WSGI reads nothing."""
    given = str(request.META.get("CONTENT_LENGTH") or 0)
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 16 else 0


def too_large(request: HttpRequest, limit: int) -> TooLarge:
    return TooLarge(
        f"This is {count(length(request))} bytes; at most {count(limit)} are taken here."
    )


def usual_limit() -> int:
    return settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0


def measures_its_body(view: V) -> V:
    """Mark a view that looks at the length of its body itself: it takes large files."""
    view.measures_its_body = True  # type: ignore[attr-defined]
    return view


def raw(request: HttpRequest) -> bytes:
    """Return the body as it came; nothing of a form, which has been read as one."""
    try:
        return request.body
    except RawPostDataException:
        return b""
