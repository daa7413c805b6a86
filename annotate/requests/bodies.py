"""Bodies of requests: their length limits, and JSON in them."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, RawPostDataException

from annotate.errors import ServiceError
from annotate.text.figures import count

V = TypeVar("V", bound=Callable[..., Any])


class TooLarge(ServiceError):
    """The body is larger than this address accepts. It was not read."""

    status = 413
    code = "too_large"


def length(request: HttpRequest) -> int:
    """Return the declared length of the body; without a length, WSGI reads nothing."""
    given = str(request.META.get("CONTENT_LENGTH") or 0)
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 16 else 0


def too_large(request: HttpRequest, limit: int) -> TooLarge:
    return TooLarge(
        f"This is {count(length(request))} bytes; the limit here is {count(limit)} bytes."
    )


def usual_limit() -> int:
    return settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0


def measures_its_body(view: V) -> V:
    """Mark a view that checks the length of its body itself, because it takes large files."""
    view.measures_its_body = True  # type: ignore[attr-defined]
    return view


def raw(request: HttpRequest) -> bytes:
    """Return the unparsed body; empty for a form that has already been parsed."""
    try:
        return request.body
    except RawPostDataException:
        return b""
