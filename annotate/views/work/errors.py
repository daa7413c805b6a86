"""What annotators read where no view could answer: framed as their pages are, in their language.

Nothing here asks the database: it may be what is away.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import get_language_from_request
from django.utils.translation import gettext as _

from annotate.crowds.link import LINK
from annotate.errors import NotFound, ServiceError
from annotate.views.work.access import framed, is_endpoint, private

AGAIN = 15  # seconds after which a page that broke asks again


def broken(request: HttpRequest, status: int) -> HttpResponse:
    """Say that the server failed. A page tries again automatically; a script decides itself."""
    with translation.override(_language(request)):
        if is_endpoint(request):
            message = _("The server does not answer. Your work is kept and sent again shortly.")
            answer: HttpResponse = _json("unavailable", message, status)
        else:
            context = {"again": request.get_full_path(), "seconds": AGAIN}
            answer = _page("work/broken.html", context, status)
            answer["Refresh"] = str(AGAIN)  # needs no script
    answer["Retry-After"] = str(AGAIN)
    return private(answer)


def refused(request: HttpRequest, error: ServiceError) -> HttpResponse:
    """Say why a request is not taken, whatever it asks for."""
    with translation.override(_language(request)):
        message = _told(error)
        if is_endpoint(request):
            return private(_json(error.code, message, error.status))
        return private(_page("work/refused.html", {"message": message}, error.status))


def _told(error: ServiceError) -> str:
    if isinstance(error, NotFound):
        return _("This link is not complete. Copy the whole link, or ask the researcher for it.")
    if error.status == 413:
        return _("This is more than this address takes. Nothing was stored.")
    return _("The server does not understand this request. Open your link again.")


def _language(request: HttpRequest) -> str:
    """The study's, where its page had got as far as that; else the browser's."""
    return getattr(request, "spoken", None) or get_language_from_request(request)


def _page(template: str, context: dict[str, Any], status: int) -> HttpResponse:
    """Render without the request: what it knows of a person, only the database knows."""
    response = HttpResponse(render_to_string(template, context), status=status)
    response.xframe_options_exempt = True
    return framed(response, LINK.key)


def _json(code: str, message: str, status: int) -> JsonResponse:
    said: dict[str, Any] = {"error": code, "message": message}
    return JsonResponse(said, status=status)
