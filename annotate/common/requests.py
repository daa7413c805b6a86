"""Requests and answers: limits of bodies, forms that were refused, and tables as CSV."""

import csv
import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    QueryDict,
    RawPostDataException,
    StreamingHttpResponse,
)
from django.middleware import csrf
from django.shortcuts import render

from annotate.common.errors import ServiceError
from annotate.common.numbers import count

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


# A form that was refused before its view saw it: why, and what was typed, to be sent again.


logger = logging.getLogger(__name__)
FIELD = "csrfmiddlewaretoken"
SECRET = re.compile(r"password|^code$")  # fields that no page shows again
SAME_SITE = "same-origin"


@dataclass(frozen=True)
class Cause:
    """Why a form was refused, in a title and a sentence that says what to do."""

    title: str
    text: str
    ended: bool = False  # logging in comes first
    kept: bool = True  # the form is read, and offered again


SESSION_ENDED = Cause(
    "Your session has ended",
    "You were logged out since this page was loaded: by you in another tab, by a new password, or "
    "because of the time.",
    ended=True,
)
ENDED_WITH_FILES = Cause(
    SESSION_ENDED.title,
    "What you sent is too large to be kept without a log-in. Log in, in a new tab; then go back to "
    "the form in this one, and send it again.",
    ended=True,
    kept=False,
)


def session_ended(request: HttpRequest) -> HttpResponse:
    """Answer a form of somebody who is not logged in any more; a large one is not even read."""
    logger.warning("Session ended: %s", request.path)
    is_large = length(request) > usual_limit()
    return _page(request, ENDED_WITH_FILES if is_large else SESSION_ENDED)


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that fails Django's check against forgery, for the reason that is logged."""
    return _page(request, _cause(request, reason))


def _page(request: HttpRequest, cause: Cause) -> HttpResponse:
    """What another site sent is not offered again: one click would carry out its wish."""
    is_offered = cause.kept and _is_ours(request)
    sent = request.POST if is_offered else QueryDict()
    fields = [
        (name, value)
        for name, values in sent.lists()
        for value in values
        if name != FIELD and not SECRET.search(name)
    ]
    uploads = request.FILES.lists() if is_offered else ()
    context = {
        "cause": cause,
        "ours": is_offered,
        "fields": fields,
        "written": [(name, value) for name, value in fields if " " in value.strip()],
        "secrets": any(SECRET.search(name) for name in sent),
        "files": [file.name for _name, files in uploads for file in files],
        "there": request.get_full_path(),
    }
    return render(request, "form_refused.html", context, status=403)


def _cause(request: HttpRequest, reason: str) -> Cause:
    origin = request.headers.get("Origin", "")
    here = f"{request.scheme}://{request.get_host()}"
    if reason.startswith("Origin") and origin != "null":
        return _other_address(request, origin, here)
    if reason.startswith(("Origin", "Referer")):
        return Cause(
            "Your browser does not say where this form comes from",
            "Without that, Plumbline cannot tell its own form from that of another site. Allow the "
            "browser, and what changes its requests, to send “Origin” or “Referer” to this site.",
        )
    if reason == csrf.REASON_NO_CSRF_COOKIE:
        return Cause(
            "Your browser sent no cookie",
            "Cookies of this site were deleted or are blocked. Allow them, and send the form "
            "again.",
        )
    if request.user.is_authenticated:
        return Cause(
            "You logged in again since this page was loaded",
            f"You are now logged in as {request.user.get_username()}, probably in another tab. "
            "A form that was loaded before is not taken at once.",
        )
    return SESSION_ENDED


def _other_address(request: HttpRequest, origin: str, here: str) -> Cause:
    sent, known = _split(origin), _split(here)
    if request.headers.get("Sec-Fetch-Site", SAME_SITE) != SAME_SITE:
        return Cause(
            "This form comes from another site",
            f"It was sent by {origin}, which is not this Plumbline. Nothing of it is taken.",
        )
    if sent.hostname == known.hostname and sent.scheme != known.scheme:
        return Cause(
            "The proxy does not pass on how you came here",
            f"Your browser speaks {sent.scheme} to {sent.hostname}, but Plumbline was asked over "
            f"{known.scheme}. The operator has to let the proxy send X-Forwarded-Proto, and set "
            "BEHIND_PROXY.",
        )
    return Cause(
        "This address is not the one that Plumbline knows",
        f"Your browser is at {origin}, but Plumbline was asked as {here} and is set up for "
        f"{settings.PUBLIC_URL}. Open it there, or let the operator set PUBLIC_URL, or let the "
        "proxy pass on the host name.",
    )


def _split(address: str) -> SplitResult:
    """Return the parts of an address; none of what is no address."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _is_ours(request: HttpRequest) -> bool:
    """Return whether a page of this Plumbline sent it, as the browser says.

    Scripts cannot set these headers. Behind a wrong proxy, only `Sec-Fetch-Site` still tells.
    """
    if site := request.headers.get("Sec-Fetch-Site"):
        return site == SAME_SITE
    origin = request.headers.get("Origin") or request.headers.get("Referer", "")
    sent = _split(origin)
    return f"{sent.scheme}://{sent.netloc}" == f"{request.scheme}://{request.get_host()}"


# Tables as lines of CSV that spreadsheets open, each cell safe to open.


# What a spreadsheet takes for the beginning of a formula; the wide forms are read as the others.
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


class _Line:
    """What csv writes to: it hands each line on."""

    def write(self, line: str) -> str:
        return line


def lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield the lines of a table, the names of its columns first."""
    writer = csv.writer(_Line())
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([cell(value) for value in row])


def cell(value: Any) -> Any:
    """Return the text of a cell: nothing for unknown values, 1 or 0 for yes or no.

    Times are UTC. A text that a spreadsheet would take for a formula gets a ' in front.
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def moment(at: datetime) -> str:
    """Return a time as ISO 8601 in UTC, such as 2026-11-22T09:30:00.000000Z."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def csv_file(name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponseBase:
    """Return a download that names its columns in the first line."""
    response = StreamingHttpResponse(lines(columns, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
