"""Errors outside of views: JSON, a page for annotators, or one for researchers."""

import sys

from django.core.exceptions import DisallowedHost
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import render_to_string
from django.views import defaults

from annotate.api.problems import CONTENT_TYPE, problem
from annotate.errors import NotFound, ServiceError
from annotate.views.work import access
from config import query_time

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
    if query_time.ran_out(sys.exception()):
        answer = _later(request, "too_slow", TOO_SLOW)
    elif query_time.waited(sys.exception()):
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
