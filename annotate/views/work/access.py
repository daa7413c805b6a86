"""Access to the annotator's pages and endpoints, and the pages for refusals and errors."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import get_language_from_request
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt

from annotate import adapters
from annotate.crowds.link.entry import LINK
from annotate.errors import Invalid, NotFound, ServiceError
from annotate.requests import bodies
from annotate.selectors.work import own_links, task_page
from annotate.selectors.work.task_page import Study, Visit
from annotate.text import figures, json_text
from annotate.text.languages import interface_language

# Eight questions, each with all of an output of 50,000 characters highlighted, four bytes each.
BODY_LIMIT = 2 * 1024 * 1024
LONGEST_TEXT = 200_000  # characters of one text in it: three times an output, and some room
POLICY = "_csp_replace"  # what django-csp reads from a response
View = Callable[..., HttpResponseBase]
Endpoint = Callable[..., dict[str, Any]]


class RequestError(ServiceError):
    """The request itself is wrong, whatever it asks for."""

    def __init__(self, message: str, *, status: int, code: str, **detail: Any) -> None:
        super().__init__(message, code=code)
        self.status = status
        self.detail = detail


def worker_page(view: Callable[..., HttpResponse]) -> View:
    """A page that other sites may frame, and whose address is sent to no site and kept in no cache.
    The view names the sites (`framed`). If it names none, any site may frame the page, which then
    shows nothing personal.
    """

    @csrf_exempt
    @xframe_options_exempt
    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with _spoken(request):
            try:
                response = view(request, *args, **kwargs)
            except ServiceError as error:
                response = explain(request, error.message, error.status)
        if not hasattr(response, POLICY):
            framed(response, LINK.key)
        return private(response)

    return wrapped


def framed(response: HttpResponse, crowd: str) -> HttpResponse:
    """Let the crowd show this page, and let its forms go to the crowd and nowhere else."""
    setattr(response, POLICY, adapters.entry(crowd).frame_policy().directives)
    return response


def show(
    request: HttpRequest, study: Study, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """Render a page of this study, for where its people come from."""
    return framed(render(request, template, context, status=status), study.crowd)


def see_work(token: str) -> HttpResponse:
    """Go to the page of the work."""
    response = redirect("annotate:work", token=token)
    response.status_code = 303
    return response


def speak(study: Study) -> None:
    """Go on in the language and currency of this study; both end with the request.

    Their pages are rendered in it, and its page's script asks for it in `Accept-Language`.
    """
    translation.activate(interface_language(study.language))
    figures.count_in(study.currency)


def explain(request: HttpRequest, message: str, status: int, *, then: str = "") -> HttpResponse:
    """Show a page that explains why there is no work, and what to do."""
    return render(request, "work/refused.html", {"message": message, "then": then}, status=status)


def worker_endpoint(method: str, *, with_request: bool = False) -> Callable[[Endpoint], View]:
    """An endpoint of the page's script: `view(participation_id, body, **kwargs)` -> JSON.

    with_request: `request` is among the keywords.
    """

    def decorate(view: Endpoint) -> View:
        @csrf_exempt
        @wraps(view)
        def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            if request.method == "OPTIONS":
                return _preflight(method)
            if with_request:
                kwargs["request"] = request
            with _spoken(request):
                try:
                    _require(request, method)
                    return private(JsonResponse(view(_bearer(request), _body(request), **kwargs)))
                except ServiceError as error:
                    return private(_refusal(error))

        wrapped.is_endpoint = True  # type: ignore[attr-defined]
        return wrapped

    return decorate


def is_endpoint(request: HttpRequest) -> bool:
    """Return whether a page's script asks, which reads JSON."""
    match = request.resolver_match
    return match is not None and getattr(match.func, "is_endpoint", False)


@contextmanager
def _spoken(request: HttpRequest) -> Iterator[None]:
    """Use the browser's language until the study is known, and pass it on to error pages."""
    with translation.override(get_language_from_request(request)):
        try:
            yield
        except Exception:
            request.spoken = translation.get_language()  # type: ignore[attr-defined]
            raise


def _require(request: HttpRequest, method: str) -> None:
    if request.method != method:
        raise RequestError(_("This address takes %s only.") % method, status=405, code="method")


def _preflight(method: str) -> HttpResponse:
    response = HttpResponse(status=204)
    response["Access-Control-Allow-Methods"] = f"{method}, OPTIONS"
    response["Access-Control-Allow-Headers"] = "authorization, content-type"
    response["Access-Control-Max-Age"] = "600"
    return private(response)


def private(response: HttpResponse) -> HttpResponse:
    response["Access-Control-Allow-Origin"] = "*"  # without credentials: the token is all
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store"
    return response


def _refusal(error: ServiceError) -> HttpResponse:
    body: dict[str, Any] = {"error": error.code, "message": error.message}
    body |= getattr(error, "detail", {})
    if isinstance(error, Invalid):
        body["errors"] = error.errors
    return JsonResponse(body, status=error.status)


def _bearer(request: HttpRequest) -> int:
    lost = _("This page has lost its key. Open your personal link again; your draft is kept.")
    scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise RequestError(lost, status=401, code="token")
    try:
        return own_links.read(token)
    except NotFound:
        raise RequestError(lost, status=401, code="token") from None


def _body(request: HttpRequest) -> dict[str, Any]:
    if bodies.length(request) > BODY_LIMIT:
        raise _too_large()
    try:
        body = json_text.parse(bodies.raw(request) or b"{}", text=_kept)
    except json_text.NotJson:
        body = None
    if not isinstance(body, dict):
        message = _("The page sent something that is not JSON. Reload it.")
        raise RequestError(message, status=400, code="not_json")
    return body


def _too_large() -> RequestError:
    message = _("This is more text than can be stored. Shorten your edit.")
    return RequestError(message, status=413, code="too_large")


def _kept(text: str) -> str:
    """Return the part of a typed or pasted text that every database can store."""
    if len(text) > LONGEST_TEXT:
        raise _too_large()
    return json_text.mended(text)


AGAIN = 15  # seconds after which a page that broke asks again


def error_page(request: HttpRequest, status: int) -> HttpResponse:
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


def refusal_page(request: HttpRequest, error: ServiceError) -> HttpResponse:
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
    """Return the study's language if the view had found the study, otherwise the browser's."""
    return getattr(request, "spoken", None) or get_language_from_request(request)


def _page(template: str, context: dict[str, Any], status: int) -> HttpResponse:
    """Render without the request, because reading the person from it would query the database."""
    response = HttpResponse(render_to_string(template, context), status=status)
    response.xframe_options_exempt = True
    return framed(response, LINK.key)


def _json(code: str, message: str, status: int) -> JsonResponse:
    said: dict[str, Any] = {"error": code, "message": message}
    return JsonResponse(said, status=status)


def visiting(token: str) -> Visit:
    """Return the visit of this token, and go on in the language of its study."""
    found = task_page.visit(own_links.read(token))
    speak(found.study)
    return found
