"""Checks of every request: no NUL, a limited size, one encoding.

They run here so that views, services and the database never meet such a request.
"""

import codecs
from collections.abc import Callable, Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, UnreadablePostError

from annotate.errors import NotFound, ServiceError
from annotate.requests import bodies
from config import errors

LONGEST_PATH = LONGEST_QUERY = 8_000
CONTROLS = {*map(chr, range(32)), "\x7f"}
READ_AS = ("utf-8", "ascii")  # both are read as UTF-8


class Gate:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        _drop_odd_cookies(request)
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        """Refuse what no address accepts. It runs before the check against forged requests."""
        try:
            _check_headers(request)  # first, because they determine how the rest is read
            _check_address(request)
            # The API's views check their bodies themselves, and answer with JSON.
            if not hasattr(view, "cls") and not getattr(view, "measures_its_body", False):
                _check_body(request)
        except ServiceError as refused:
            return errors.refusal(request, refused)
        except UnreadablePostError:
            return errors.refusal(request, _broken_off())
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer a client that disconnects while sending: that is not a server error."""
        if isinstance(error, UnreadablePostError):
            return errors.refusal(request, _broken_off())
        return None


def _drop_odd_cookies(request: HttpRequest) -> None:
    """Ignore unreadable cookies, because the user could not remove them."""
    for name in [name for name, value in request.COOKIES.items() if _is_odd([name, value])]:
        del request.COOKIES[name]


def _check_address(request: HttpRequest) -> None:
    if len(request.path) > LONGEST_PATH or _is_odd([request.path]):
        raise NotFound("There is nothing at this address.")
    query = request.META.get("QUERY_STRING", "")
    if len(query) > LONGEST_QUERY or _is_odd(_texts(request.GET)):
        raise _bad("What follows “?” in this address is too long, or is not text.")


def _check_headers(request: HttpRequest) -> None:
    headers = [v for name, v in request.META.items() if name.startswith("HTTP_")]
    if "\0" in "".join(map(str, headers)):
        raise _bad("A header of this request contains an invalid character.")
    if not str(request.META.get("CONTENT_LENGTH") or 0).isdecimal():
        raise _bad("This request does not state its length.")
    charset = request.content_params.get("charset", "utf-8") if request.content_params else "utf-8"
    if _encoding(charset) not in READ_AS:
        raise ServiceError("Send this as UTF-8: no other encoding is read.", code="encoding")


def _check_body(request: HttpRequest) -> None:
    if bodies.length(request) > (limit := bodies.usual_limit()):
        raise bodies.too_large(request, limit)
    if "\0" in "".join(_texts(request.POST)):
        raise _bad("A field of this form contains an invalid character (NUL).")


def _texts(given: Any) -> Iterable[str]:
    for name, values in given.lists():
        yield name
        yield from values


def _is_odd(texts: Iterable[str]) -> bool:
    return any(not CONTROLS.isdisjoint(text) for text in texts)


def _encoding(charset: str) -> str:
    try:
        return codecs.lookup(charset).name
    except LookupError:
        return ""


def _broken_off() -> ServiceError:
    return ServiceError("This request ended before it was complete.", code="broken_off")


def _bad(message: str) -> ServiceError:
    return ServiceError(message, code="bad_request")
