"""What happens to every request: uploads, time limits of queries, checks, and answers to errors."""

import codecs
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.db import InterfaceError, OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    UnreadablePostError,
)
from django.template.loader import render_to_string
from django.views import defaults

from annotate.common import requests
from annotate.common.api import CONTENT_TYPE, problem
from annotate.common.errors import NotFound, ServiceError
from annotate.work import access

logger = logging.getLogger(__name__)


class NoRoom(ServiceError):
    """The server has no room for this file now."""

    status = 413  # according to RFC 9110: larger than the server is able to process
    code = "no_room"

    def __init__(self, error: OSError) -> None:
        logger.error("An upload found no room in the temporary folder: %s", error)
        super().__init__(
            "The server has no room for a file of this size at the moment. Nothing was stored. "
            "Try again later, or tell the administrator of this Plumbline."
        )


class RoomyUploadHandler(TemporaryFileUploadHandler):
    """Reports a full folder as such, in every view alike."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        with self._finding_room():
            super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        with self._finding_room():
            super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> Any:
        with self._finding_room():
            return super().file_complete(file_size)

    @contextmanager
    def _finding_room(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if begun := getattr(self, "file", None):
                with suppress(OSError):  # the part in memory finds no room either
                    begun.close()
            raise NoRoom(error) from None


# Limits on a request's query time and lock waits in Postgres.
#
# Workers, commands and migrations have no limit of ours, nor has a download while it is sent. The
# limits belong to the connection, which outlives a request: they are sent only where they change,
# and not at all where a pool gives the connection to somebody else after each transaction.


CANCELED = "57014"  # the SQLSTATE of a query that took too long
LOCKED = "55P03"  # of one that waited too long for a lock

UNLIMITED = "SET statement_timeout TO DEFAULT; SET lock_timeout TO DEFAULT"


class QueryTime:
    """Limits the queries of a request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        _work(_limited())
        response = self.get_response(request)
        if response.streaming:  # its queries follow while it is sent
            lift()
        return response


def lift() -> None:
    """End the limits on this thread's connection."""
    _work(UNLIMITED)


def ran_out(error: BaseException | None) -> bool:
    """Return whether this error of the database is a query that took too long."""
    return _code(error) == CANCELED


def waited(error: BaseException | None) -> bool:
    """Return whether this error of the database is a lock that was held for too long."""
    return _code(error) == LOCKED


def _code(error: BaseException | None) -> str:
    return getattr(getattr(error, "__cause__", None), "pgcode", None) or ""


def _limited() -> str:
    limits = {"statement_timeout": settings.QUERY_SECONDS, "lock_timeout": settings.LOCK_SECONDS}
    return "; ".join(
        f"SET {name} TO {round(seconds * 1000) if seconds else 'DEFAULT'}"
        for name, seconds in limits.items()
    )


def _work(limits: str) -> None:
    """Let Postgres work by these limits on each further query of this thread's connection."""
    if not _keeps(connection):
        return
    connection.query_limits = limits  # type: ignore[attr-defined]
    if connection.connection is None or _sent(connection) == limits:
        return
    connection.close_if_health_check_failed()
    if connection.connection is not None:
        _send(connection)


def _keeps(connection: BaseDatabaseWrapper) -> bool:
    """Return whether what is set holds for the next transaction, and for nobody else's."""
    if connection.vendor != "postgresql":
        return False
    return not connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]


@receiver(connection_created)
def _connected(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    if _keeps(connection) and getattr(connection, "query_limits", UNLIMITED) != UNLIMITED:
        _send(connection)


def _send(to: BaseDatabaseWrapper) -> None:
    """Set it outside of Django's log of queries. Within a transaction it ends with a rollback."""
    limits = to.query_limits  # type: ignore[attr-defined]
    with to.connection.cursor() as cursor:
        cursor.execute(limits)
    if not to.in_atomic_block:
        to.query_limits_sent = to.connection, limits  # type: ignore[attr-defined]


def _sent(to: BaseDatabaseWrapper) -> str:
    """Return what this connection has, and not one before it."""
    held, limits = getattr(to, "query_limits_sent", (None, UNLIMITED))
    return str(limits) if held is to.connection else UNLIMITED


# Errors outside of views: JSON, a page for annotators, or one for researchers.


API = "/api/"
WORK = "/work/"
UNAVAILABLE = 503
BAD = "Plumbline cannot read this request. Nothing was changed."
TOO_SLOW = (
    "The database took too long for this, and Plumbline ended it. Nothing was changed. Ask for "
    "less at once, or try again in a minute."
)
BUSY = (
    "Somebody else, or Plumbline itself, is changing the same data. Nothing was changed by this "
    "request. Try again in a moment."
)
WRONG_HOST = (
    "Plumbline was asked for under the host name “{}”, which is not its own. Open it at its public "
    "address. The operator can allow more names in ALLOWED_HOSTS; or a proxy changes the name."
)
BROKEN = "Something failed on the server. What was saved is safe. Try again in a minute."


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if isinstance(exception, DisallowedHost):
        asked = str(request.META.get("HTTP_HOST", ""))[:200]
        return refusal(request, ServiceError(WRONG_HOST.format(asked), code="host"))
    if _has_own_words(request):
        return refusal(request, ServiceError(BAD, code="bad_request"))
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if _has_own_words(request):
        return refusal(request, NotFound("There is nothing at this address."))
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Report a server error without using the database, which may be the cause."""
    gone = isinstance(sys.exception(), OperationalError | InterfaceError)
    status = UNAVAILABLE if gone else 500
    if request.path.startswith(WORK):
        return access.error_page(request, status)
    if ran_out(sys.exception()):
        answer = _later(request, "too_slow", TOO_SLOW)
    elif waited(sys.exception()):
        answer = _later(request, "busy", BUSY)
    elif request.path.startswith(API):
        answer = _json("unavailable" if gone else "broken", BROKEN, status)
    else:
        answer = HttpResponse(render_to_string("500.html"), status=status)
    if gone:
        answer["Retry-After"] = str(access.AGAIN)
    return answer


def _later(request: HttpRequest, code: str, message: str) -> HttpResponse:
    if request.path.startswith(API):
        return _json(code, message, UNAVAILABLE)
    return HttpResponse(render_to_string(f"{code}.html"), status=UNAVAILABLE)


def refusal(request: HttpRequest, error: ServiceError) -> HttpResponse:
    """Refuse a request before it reaches a view, without using the database."""
    if request.path.startswith(WORK):
        return access.refusal_page(request, error)
    if request.path.startswith(API):
        return _json(error.code, error.message, error.status)
    return HttpResponse(render_to_string("4xx.html", {"error": error}), status=error.status)


def _has_own_words(request: HttpRequest) -> bool:
    return request.path.startswith((API, WORK))


def _json(code: str, message: str, status: int) -> JsonResponse:
    body = problem(code, message, status)
    return JsonResponse(body, status=status, content_type=CONTENT_TYPE)


# Checks of every request: no NUL, a limited size, one encoding.
#
# They run here so that views, services and the database never meet such a request.


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
            return refusal(request, refused)
        except UnreadablePostError:
            return refusal(request, _broken_off())
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer a client that disconnects while sending: that is not a server error."""
        if isinstance(error, UnreadablePostError):
            return refusal(request, _broken_off())
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
    if requests.length(request) > (limit := requests.usual_limit()):
        raise requests.too_large(request, limit)
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
