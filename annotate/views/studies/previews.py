"""Instruments and tutorials as annotators see them, for researchers: nothing is stored."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate.errors import Conflict, Invalid, NotFound
from annotate.forms.base import DefinitionForm
from annotate.instruments.base import Instrument, InvalidResponse
from annotate.instruments.rating.instrument import Rating
from annotate.instruments.rating.reading import read
from annotate.instruments.tutorials import files, grading, reading
from annotate.instruments.tutorials.answer_feedback import told
from annotate.instruments.tutorials.content import Tutorial
from annotate.instruments.tutorials.questions import Question
from annotate.permissions import researcher_page
from annotate.requests import bodies
from annotate.schemas import Refused, parse
from annotate.selectors.studies import tutorial_contents as contents
from annotate.selectors.work import tutorial_runs as selectors
from annotate.text import json_text
from annotate.text.languages import interface_language
from annotate.text.numerals import number
from annotate.views.studies import instruments, tutorial_contents
from annotate.views.work import tutorial
from annotate.views.work.pages import show_example


@require_safe
@never_cache
@researcher_page
def instrument(request: HttpRequest, key: str, version: str) -> HttpResponseBase:
    """The page of a task, with the instrument's own example."""
    found = tutorial_contents.instrument_named(f"{key}@{version}")
    if found.version != version or not found.template:
        raise NotFound("There is no such version, or people are not asked with it.")
    links = [("Back to the instruments", reverse("annotate:instruments"))]
    return _example(request, found, language=request.GET.get("language", ""), links=links)


@require_POST
@never_cache
@researcher_page
def instrument_draft(request: HttpRequest) -> HttpResponseBase:
    """Show the task page of a definition that was checked and is not stored yet."""
    form = DefinitionForm(request.POST, request.FILES)
    if not form.is_valid():
        return instruments.form_page(request, form, status=422)
    try:
        return draft_example(request, parse(form.text))
    except Refused as refused:
        return instruments.form_page(request, form, status=422, problems=refused.problems)


def draft_example(request: HttpRequest, content: Any) -> HttpResponseBase:
    """Show the task page of a definition that is not stored; raises `Refused`."""
    return _example(request, Rating(read(content)))


@require_safe
@never_cache
@researcher_page
def tutorial_builtin(request: HttpRequest, key: str, language: str) -> HttpResponseBase:
    found = tutorial_contents.instrument_named(key)
    try:
        content = json.loads(files.text(found.key, language))
    except KeyError as error:
        raise NotFound(str(error.args[0])) from None
    return _question(request, found, content)


@require_safe
@never_cache
@researcher_page
def tutorial_stored(request: HttpRequest, key: str, tutorial_id: int) -> HttpResponseBase:
    found = tutorial_contents.instrument_named(key)
    try:
        return _question(request, found, contents.content(tutorial_id, key=key))
    except Refused as refused:
        raise Conflict(f"It does not fit {found.label}, {found.version}: {refused}") from None


@require_POST
@never_cache
@researcher_page
def tutorial_draft(request: HttpRequest, key: str) -> HttpResponseBase:
    """Show a tutorial that was checked and is not stored yet."""
    found = tutorial_contents.instrument_named(key)
    form = DefinitionForm(request.POST, request.FILES)
    if not form.is_valid():
        return tutorial_contents.form_page(request, found, form, status=422)
    try:
        return draft_question(request, found, parse(form.text))
    except Refused as refused:
        return tutorial_contents.form_page(
            request, found, form, status=422, problems=refused.problems
        )


def draft_question(request: HttpRequest, found: Instrument, content: Any) -> HttpResponseBase:
    """Show a question of a tutorial that is not stored; raises `Refused` as `reading.read` does."""
    return _question(request, found, content, is_draft=True)


@require_POST
@never_cache
@researcher_page
def grade(request: HttpRequest, key: str) -> HttpResponseBase:
    """Grade an answer by the tutorial that the request carries. Nothing is stored."""
    try:
        body = json_text.parse(bodies.raw(request))
        asked, response = body["question"], dict(body["response"])
        found = _read(tutorial_contents.instrument_named(key), body["tutorial"])
        question = dict(enumerate(found.samples, start=1))[int(asked)]
    except (ValueError, KeyError, TypeError):
        message = "An answer has a “tutorial”, the “question” in it, and a “response”."
        raise Invalid({"answer": message}) from None
    with translation.override(interface_language(found.language)):
        return _graded(question, response)


def _graded(question: Question, response: Mapping[str, Any]) -> JsonResponse:
    try:
        return JsonResponse(tutorial.as_data(grading.grade(question, response)))
    except InvalidResponse as error:
        return JsonResponse({"errors": error.errors}, status=422)


def _example(
    request: HttpRequest,
    shown: Instrument,
    *,
    language: str = "",
    links: Sequence[tuple[str, str]] = (),
) -> HttpResponseBase:
    own = shown.definition.language if isinstance(shown, Rating) else ""
    study = selectors.preview_study(shown, language=own or language or "en")
    with translation.override(interface_language(study.language)):
        why = _("This is an example, so it is not sent and earns nothing.")
        return show_example(request, study, why=why, links=links)


def _read(found: Instrument, content: Any) -> Tutorial:
    return reading.read(content, instrument=found.key, criteria=found.criteria)


def _question(
    request: HttpRequest, found: Instrument, content: Any, *, is_draft: bool = False
) -> HttpResponseBase:
    """One question of a tutorial: the one whose number was asked for, else the first."""
    whole = _read(found, content)
    asked = (request.POST if is_draft else request.GET).get("question", "")
    last = len(whole.samples)
    place = min(max(number(asked) or 1, 1), last)
    question = whole.samples[place - 1]
    with translation.override(interface_language(whole.language)):
        context = tutorial.question_context(selectors.preview_status(whole, place), question) | {
            "study": {"title": found.label},
            "instrument": found,
            "place": place,
            "previous": place - 1,
            "following": place + 1 if place < last else 0,
            "definition": json.dumps(content, ensure_ascii=False) if is_draft else "",
            "told": told(question),
            "data": _data(request, found, content, question, place),
        }
        return render(request, "instruments/tutorial_preview.html", context)


def _data(
    request: HttpRequest, found: Instrument, content: Any, question: Question, place: int
) -> dict[str, Any]:
    """Return the script's data. The tutorial is not stored, so each answer carries it."""
    return {
        "csrf": get_token(request),
        "urls": {"answer": reverse("annotate:tutorial-grade", args=[found.key])},
        "tutorial": tutorial.question_data(question) | {"question": str(place)},
        "preview": {"tutorial": content},
    }
