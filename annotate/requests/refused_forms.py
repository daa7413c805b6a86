"""A form that was refused before its view saw it: why, and what was typed, to be sent again."""

import logging
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.middleware import csrf
from django.shortcuts import render

from annotate.requests import bodies

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
    is_large = bodies.length(request) > bodies.usual_limit()
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
