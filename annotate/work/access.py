"""Access to the annotator's pages and endpoints, and the pages for refusals and errors."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import get_language_from_request, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt

from annotate.common import json, numbers, requests
from annotate.common.errors import Invalid, NotFound, ServiceError
from annotate.common.numbers import money_text
from annotate.common.text import interface_language
from annotate.crowds import adapters
from annotate.crowds.adapters import LINK
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Instrument
from annotate.work import admission, units
from annotate.work import messages as work_messages
from annotate.work import queries as work_queries
from annotate.work import task as work_task
from annotate.work.admission import NoTask
from annotate.work.messages import correcting_strings, strings, told_at_work
from annotate.work.queries import LastText
from annotate.work.task import Figures, Study, Visit, Work

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
    setattr(response, POLICY, adapters.entry(crowd).frame_policy())
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
    numbers.count_in(study.currency)


def explain(request: HttpRequest, message: str, status: int, *, then: str = "") -> HttpResponse:
    """Show a page that explains why there is no work, and what to do."""
    return render(request, "work/refused.html", {"message": message, "then": then}, status=status)


def worker_endpoint(method: str, *, with_request: bool = False) -> Callable[[Endpoint], View]:
    """An endpoint of the page's script: `view(participation_id, body, **kwargs)` -> JSON.

    with_request: `request` is among the keywords.
    """
    preflight = {
        "Access-Control-Allow-Methods": f"{method}, OPTIONS",
        "Access-Control-Allow-Headers": "authorization, content-type",
        "Access-Control-Max-Age": "600",
    }

    def decorate(view: Endpoint) -> View:
        @csrf_exempt
        @wraps(view)
        def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            if request.method == "OPTIONS":
                return private(HttpResponse(status=204, headers=preflight))
            if with_request:
                kwargs["request"] = request
            with _spoken(request):
                try:
                    if request.method != method:
                        message = _("This address takes %s only.") % method
                        raise RequestError(message, status=405, code="method")
                    return private(JsonResponse(view(_bearer(request), _body(request), **kwargs)))
                except ServiceError as error:
                    body: dict[str, Any] = {"error": error.code, "message": error.message}
                    body |= getattr(error, "detail", {})
                    if isinstance(error, Invalid):
                        body["errors"] = error.errors
                    return private(JsonResponse(body, status=error.status))

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


def private(response: HttpResponse) -> HttpResponse:
    response["Access-Control-Allow-Origin"] = "*"  # without credentials: the token is all
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store"
    return response


def _bearer(request: HttpRequest) -> int:
    lost = _("This page has lost its key. Open your personal link again; your draft is kept.")
    scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise RequestError(lost, status=401, code="token")
    try:
        return units.read_own_link(token)
    except NotFound:
        raise RequestError(lost, status=401, code="token") from None


def _body(request: HttpRequest) -> dict[str, Any]:
    message = _("This is more text than can be stored. Shorten your edit.")
    too_large = RequestError(message, status=413, code="too_large")
    if requests.length(request) > BODY_LIMIT:
        raise too_large

    def kept(text: str) -> str:
        """Return the part of a typed or pasted text that every database can store."""
        if len(text) > LONGEST_TEXT:
            raise too_large
        return json.mended(text)

    try:
        body = json.parse_json(requests.raw(request) or b"{}", text=kept)
    except json.NotJson:
        body = None
    if not isinstance(body, dict):
        message = _("The page sent something that is not JSON. Reload it.")
        raise RequestError(message, status=400, code="not_json")
    return body


AGAIN = 15  # seconds after which a page that broke asks again


def error_page(request: HttpRequest, status: int) -> HttpResponse:
    """Say that the server failed. A page tries again automatically; a script decides itself."""
    with translation.override(_language(request)):
        if is_endpoint(request):
            message = _("The server does not answer. Your work is kept and sent again shortly.")
            said = {"error": "unavailable", "message": message}
            answer: HttpResponse = JsonResponse(said, status=status)
        else:
            context = {"again": request.get_full_path(), "seconds": AGAIN}
            answer = _page("work/broken.html", context, status)
            answer["Refresh"] = str(AGAIN)  # needs no script
    answer["Retry-After"] = str(AGAIN)
    return private(answer)


def refusal_page(request: HttpRequest, error: ServiceError) -> HttpResponse:
    """Say why a request is not taken, whatever it asks for."""
    with translation.override(_language(request)):
        if isinstance(error, NotFound):
            message = _(
                "This link is not complete. Copy the whole link, or ask the researcher for it."
            )
        elif error.status == 413:
            message = _("This is more than this address takes. Nothing was stored.")
        else:
            message = _("The server does not understand this request. Open your link again.")
        if is_endpoint(request):
            said = {"error": error.code, "message": message}
            return private(JsonResponse(said, status=error.status))
        return private(_page("work/refused.html", {"message": message}, error.status))


def _language(request: HttpRequest) -> str:
    """Return the study's language if the view had found the study, otherwise the browser's."""
    return getattr(request, "spoken", None) or get_language_from_request(request)


def _page(template: str, context: dict[str, Any], status: int) -> HttpResponse:
    """Render without the request, because reading the person from it would query the database."""
    response = HttpResponse(render_to_string(template, context), status=status)
    response.xframe_options_exempt = True
    return framed(response, LINK.key)


def visiting(token: str) -> Visit:
    """Return the visit of this token, and go on in the language of its study."""
    found = work_task.visit(units.read_own_link(token))
    speak(found.study)
    return found


# The data of the annotator's page and its script: the task and its context.


IMPORT = re.compile(r'^(?:import|export)\b[^;]*?"\./([\w.-]+\.js)";', re.MULTILINE)


@cache
def imported(script: str) -> tuple[str, ...]:
    """Return the modules that `script`, a static file, imports at its start, and theirs."""
    folder, _slash, first = script.rpartition("/")
    seen: dict[str, None] = {}
    todo = [first]
    while todo:
        name = todo.pop(0)
        if name not in seen:
            seen[name] = None
            path = finders.find(f"{folder}/{name}")
            todo += IMPORT.findall(Path(path).read_text() if path else "")
    return tuple(f"{folder}/{name}" for name in seen if name != first)


def about(instrument: Instrument) -> dict[str, str]:
    """Return what templates need to describe the instrument and its time."""
    about = instrument.template.replace(".html", "_about.html")
    return {"about": about, "help": help_template(instrument), "minutes": instrument.minutes}


def help_template(instrument: Instrument) -> str:
    """Return the template of the panel next to the task: instructions and keys."""
    return instrument.template.replace(".html", "_help.html")


def context(
    token: str, visit: Visit, current: Work | None, nothing: NoTask | None, *, number: int
) -> dict[str, Any]:
    """Return the context of an instrument's page."""
    study = visit.study
    correctable = work_queries.may_correct(visit.id)
    finished = None
    if nothing is not None:
        finished = {"reason": nothing.reason, "message": nothing.message, "final": nothing.final}
    return _shell(study, current) | {
        "visit": visit,
        "nothing": nothing,
        "number": number,
        "crowd": adapters.crowd_label(study.crowd),
        "me": reverse("annotate:me", args=[token]),
        "words": data_words(study, visit.figures, number=number, correctable=correctable),
        "data": {
            "token": token,
            "release": release(),
            "told": study.told,
            "assignment": current and _assignment(study, current),
            "urls": _urls(token, current),
            "finished": finished,
        },
    }


def example(study: Study, current: Work, *, why: str, start: str) -> dict[str, Any]:
    """Return the context of an instrument's page that shows an example and has no annotator."""
    link = {"href": start, "text": _("Go to the start")} if start else None
    label = _("Example")
    shown = _shell(study, current)
    return shown | {
        "example": True,
        "words": {"texts": {"place": label}},
        "start": start,
        "data": {
            "token": "",
            "assignment": _assignment(study, current),
            "urls": {},
            "example": {"message": why, "link": link},
        },
        "modules": (*shown["modules"], "js/example.js"),
    }


def _shell(study: Study, current: Work | None) -> dict[str, Any]:
    """Return what all pages of an instrument need; their script has the name of the template."""
    instrument = study.instrument
    script = instrument.template.rpartition("/")[2].replace(".html", ".js")
    return {
        "study": study,
        "current": current,
        "strings": strings(instrument),
        "criteria": [c for c in instrument.criteria if c.levels],
        "modules": imported(f"js/{script}"),
        **about(instrument),
        **({} if current is None else {"minutes": _minutes(study, current)}),
    }


def _minutes(study: Study, work: Work) -> str:
    beside = instruments_base.beside(study.instrument, study)
    return instruments_base.usual_minutes(study.instrument, work.material, beside=beside)


def correcting(token: str, visit: Visit, text: LastText) -> dict[str, Any]:
    """Return the context of an instrument's page that corrects a submitted text."""
    study, found = visit.study, text.answered
    draft = work_task.no_draft(study.instrument.reopened(found.response))
    shown = context(
        token,
        visit,
        Work(text.assignment_id, text.material, draft),
        None,
        number=visit.figures.judged,
    )
    urls = {
        "page": reverse("annotate:work", args=[token]),
        "submit": reverse("annotate:work-correct", args=[text.assignment_id]),
    }
    left = None  # seconds until a unit that has no other task is handed in without a correction
    if visit.unit is not None and not admission.open_of(visit.id).exists():
        left = max(0.0, (text.until - timezone.now()).total_seconds())
    shown["data"] |= {"urls": urls, "correcting": {"after": found.answers}}
    if left is not None:
        shown["data"]["correcting"]["seconds"] = left
    shown["strings"] |= correcting_strings()
    shown["words"]["texts"]["correct"] = ""
    shown["modules"] = (*shown["modules"], "js/correcting.js")
    minutes = None if left is None else max(1, round(left / 60))
    return shown | {"correcting": {"back": urls["page"], "minutes": minutes}}


def first_time(visit: Visit) -> dict[str, str] | None:
    """Return the introduction for newcomers from a marketplace. By link, people have read it."""
    if visit.unit is None or not visit.is_new:
        return None
    batch, study = units.offer(visit.unit), visit.study
    return {
        "offered": work_messages.offered(batch, study),
        "paid": work_messages.how_paid(batch),
        "stored": work_messages.unit_words_stored(study.crowd),
    }


def data_words(
    study: Study, figures: Figures, *, number: int, correctable: bool = False
) -> dict[str, Any]:
    """Return what changes with each task: the page's title, and texts by their place's name.

    correctable: whether the text submitted last may be corrected, as far as is known.
    """
    today = figures.judged_today
    return {
        "title": f"{_task(number)} · {study.title} · Plumbline",
        "texts": {
            "place": _place(study, figures, number),
            "today": ngettext("%(n)d task", "%(n)d tasks", today) % {"n": today},
            "earned": money_text(figures.earned_today),
            "notice": told_at_work(figures.barred),
            "correct": _("Correct the last text") if correctable else "",
        },
    }


def said(instrument: Instrument, task: int, response: Mapping[str, Any]) -> dict[str, str]:
    """Return the answers for display next to the item's other texts, by position."""
    if not instrument.shows_others:
        return {}
    answer = _("Your answer: %(answer)s") % {"answer": instrument.recalled(response)}
    return {f"said-{task}": answer}


def handed(token: str, study: Study, work: Work) -> dict[str, Any]:
    """Return a task as the page's script puts it in place of another one of this study."""
    return {
        "data": {
            "token": token,
            "release": release(),
            "told": study.told,
            "assignment": _assignment(study, work),
            "urls": _urls(token, work),
            "finished": None,
        },
        # What changes with a task.
        "parts": render_to_string(
            "work/_handed.html",
            {
                "study": study,
                "current": work,
                "minutes": _minutes(study, work),
                "parts": study.instrument.template.replace(".html", "_parts.html"),
            },
        ),
    }


def release() -> str:
    """Return what changes whenever the pages' scripts and styles do; "" while developing."""
    return str(getattr(staticfiles_storage, "manifest_hash", ""))


def _task(number: int) -> str:
    return _("Task %(number)d") % {"number": number}


def _place(study: Study, figures: Figures, number: int) -> str:
    if figures.tasks is not None:
        return _("Task %(number)d of %(n)d") % {"number": number, "n": figures.tasks}
    if study.annotator_cap is None:
        return _task(number)
    return _("Task %(number)d of at most %(cap)d") % {"number": number, "cap": study.annotator_cap}


def _assignment(study: Study, current: Work) -> dict[str, Any]:
    instrument = study.instrument
    return {
        "id": current.id,
        "version": instrument.version,
        "text": instrument.shown(current.material),
        "task": instrument.page(current.material),
        "signals": study.signals,
        "draft": {"revision": current.draft.revision, "data": current.draft.data},
    }


def _urls(token: str, current: Work | None) -> dict[str, str]:
    urls = {"page": reverse("annotate:work", args=[token])}
    if current is None:
        return urls | {"feedback": reverse("annotate:feedback")}
    verbs = ("heartbeat", "draft", "ahead", "submit", "return")
    return urls | {verb: reverse(f"annotate:work-{verb}", args=[current.id]) for verb in verbs}
