"""The researcher's pages of instruments and tutorials: list, define, preview, edit."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.campaigns import creating, imports
from annotate.campaigns.forms import DefinitionForm
from annotate.campaigns.imports import first_items
from annotate.campaigns.problems import Row
from annotate.campaigns.sheet import Facts
from annotate.common import json as common_json
from annotate.common import requests
from annotate.common.access import own_import, researcher_page
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.common.numbers import number_from
from annotate.common.schemas import Problem, Refused, parse
from annotate.common.text import interface_language
from annotate.instruments import (
    base as instruments_base,
)
from annotate.instruments import (
    grading,
)
from annotate.instruments import (
    tutorials as instruments_tutorials,
)
from annotate.instruments.base import Instrument, InvalidResponse, Material
from annotate.instruments.rating import instrument as rating_instrument
from annotate.instruments.rating.instrument import (
    EDITING,
    READY,
    Rating,
    as_data,
    read_definition,
)
from annotate.instruments.tutorials import MOST_QUESTIONS, Question, Tutorial
from annotate.studies import (
    definitions,
    tutorials,
)
from annotate.studies import (
    forms as studies_forms,
)
from annotate.studies import (
    queries as studies_queries,
)
from annotate.studies.definitions import NotDefined
from annotate.studies.forms import content_of
from annotate.studies.tutorials import feedback_on_answers
from annotate.work import pages as work_pages
from annotate.work import tutorial_queries
from annotate.work.pages import show_example


@require_safe
@never_cache
@researcher_page
def first_items_page(request: HttpRequest, import_id: str, number: int) -> HttpResponseBase:
    """The task page with one output of the item of this number, from 1."""
    of = own_import(request.user, import_id)
    plan = imports.asked_of(of)
    instrument = studies_queries.named(plan.instrument)
    items = first_items(of, compares=instrument.compares)
    if not 0 < number <= len(items):
        raise NotFound(f"The preview shows the first {len(items)} items of the file.")
    row, others = items[number - 1]
    facts = imports.facts_of(of) if of.facts else Facts()
    forms = creating.text_forms(plan, instrument, facts)
    shown = tutorial_queries.preview_study(instrument, language=plan.language)
    shown = replace(shown, **forms, shows_reference=plan.shows_reference)
    given = row.output, row.input, row.paragraphs
    material = Material(*given, form=shown.output_form, reference=row.reference)
    if instrument.shows_all:
        material = instruments_base.with_others(material, others, ranks=instrument.ranks)
    with translation.override(interface_language(plan.language)):
        return show_example(
            request,
            shown,
            why=_("This is an example, so it is not sent and earns nothing."),
            links=_links(of, number, len(items)),
            unseen=_unseen(row, instruments_base.beside(instrument, shown)),
            material=material,
        )


def _unseen(row: Row, beside: Collection[str]) -> str:
    """Return which fields of the file annotators do not see."""
    fields = {
        "the system": True,
        "the input": bool(row.input) and "input" not in beside,
        "the paragraphs": bool(row.paragraphs) and "input" not in beside,
        "the reference": bool(row.reference) and "reference" not in beside,
        "the metrics": bool(row.metrics),
    }
    return f"Not shown to annotators: {', '.join(name for name, is_so in fields.items() if is_so)}."


def _links(of: Any, number: int, last: int) -> list[tuple[str, str]]:
    """Return the label and address of the items beside this one, and of the step."""
    beside = [n for n in (number - 1, number + 1) if 0 < n <= last]
    found = [
        (f"Item {n} of {last}", reverse("annotate:import-item", args=[of.public_id, n]))
        for n in beside
    ]
    step = reverse("annotate:import-step", args=[of.public_id, "questions"])
    return [*found, ("Back to the questions", step)]


# The researcher's pages of instruments: what there is, defining one, taking one as a start.


@require_safe
@never_cache
@researcher_page
def index(request: HttpRequest) -> HttpResponseBase:
    rows = studies_queries.listed(request.user.pk)
    context = {
        "languages": settings.LANGUAGES,
        "built_in": [row for row in rows if row.built_in],
        "ready": READY.items(),
        "defined": [row for row in rows if not row.built_in],
        "section": "instruments",
    }
    return render(request, "instruments/list.html", context)


def _act_on_text(
    request: HttpRequest,
    page: Callable[..., HttpResponseBase],
    act: Callable[[Any], HttpResponseBase],
) -> HttpResponseBase:
    """Act on the JSON of a form, its text or its file; what is wrong is told beside it."""
    form = DefinitionForm(request.POST, request.FILES)
    if not form.is_valid():
        return page(request, form, status=422)
    try:
        return act(parse(form.text))
    except (Refused, NotDefined) as refused:
        return page(request, form, status=422, problems=refused.problems)
    except Conflict as conflict:  # of another's key
        problems = [Problem("key", conflict.message)]
        return page(request, form, status=conflict.status, problems=problems)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def new(request: HttpRequest) -> HttpResponseBase:
    if request.method == "POST":
        return _act_on_text(request, form_page, partial(_define, request))
    start = _text(request.GET.get("from", ""))
    return form_page(request, DefinitionForm(initial={"definition": start}))


def _define(request: HttpRequest, content: Any) -> HttpResponseBase:
    """Store an instrument, say so, and show the list."""
    made = definitions.define(content, owner_id=request.user.pk or 0)
    text = f"“{made.definition['label']}”, version {made.version}, is defined."
    preview = reverse("annotate:instrument-preview", args=[made.key, made.version])
    messages.success(request, _with_preview(text, preview))
    return redirect("annotate:instruments")


@require_safe
@never_cache
@researcher_page
def download(_request: HttpRequest, key: str, version: str) -> HttpResponseBase:
    """A definition as a file to start from."""
    content = _text(f"{key}@{version}")
    if not content:
        raise NotFound("There is no such instrument, or it is not made of a definition.")
    return _file(content, f"{key}-{version}")


def _with_preview(text: str, address: str) -> SafeString:
    """Return a message with a link to the next step."""
    return format_html('{} <a href="{}">Preview it</a>', text, address)


def instruments_data(reference: str) -> dict[str, Any]:
    """Return an instrument's definition as JSON data, or a ready-made one; {} where it has none."""
    if reference in READY:
        return READY[reference]
    try:
        instrument = studies_queries.named(reference)
    except KeyError:
        return {}
    return as_data(instrument.definition) if isinstance(instrument, Rating) else {}


def _text(reference: str) -> str:
    """Return an instrument's definition as JSON text; "" where it has none."""
    found = instruments_data(reference)
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n" if found else ""


def form_page(
    request: HttpRequest, form: forms.Form, *, status: int = 200, **context: Any
) -> HttpResponseBase:
    context |= {"form": form, "section": "instruments"}
    return render(request, "instruments/new.html", context, status=status)


# The researcher's page of an instrument's tutorials: take one, supply one's own.


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def tutorial_contents_page(request: HttpRequest, key: str) -> HttpResponseBase:
    page = partial(tutorial_form_page, instrument=instrument_named(key))
    if request.method == "POST":
        return _act_on_text(request, page, partial(_store_tutorial, request, key))
    return page(request, DefinitionForm())


def _store_tutorial(
    request: HttpRequest, key: str, content: Any, *, complete: bool = False
) -> HttpResponseBase:
    """Store a tutorial, say so, and show the list."""
    made = definitions.store_tutorial(
        content, reference=key, owner_id=request.user.pk or 0, complete=complete
    )
    text = "The tutorial is stored. Choose it when you create a campaign."
    preview = reverse("annotate:tutorial-stored-preview", args=[key, made.pk])
    messages.success(request, _with_preview(text, preview))
    return redirect("annotate:tutorials", key=key)


@require_safe
@never_cache
@researcher_page
def builtin(_request: HttpRequest, key: str, language: str) -> HttpResponseBase:
    try:
        text = tutorials.tutorial_file(key, language)
    except KeyError as error:
        raise NotFound(str(error.args[0])) from None
    return _file(text, f"{key}-tutorial-{language}")


@require_safe
@never_cache
@researcher_page
def tutorial_contents_stored(_request: HttpRequest, key: str, tutorial_id: int) -> HttpResponseBase:
    content = studies_queries.content(tutorial_id, key=key)
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    return _file(text, f"{key}-tutorial-{tutorial_id}")


def instrument_named(reference: str) -> Instrument:
    try:
        found = studies_queries.named(reference)
    except KeyError as error:
        raise NotFound(str(error.args[0])) from None
    if found.partial:
        raise NotFound("Nobody can be asked by this instrument: it holds recorded scores.")
    return found


def tutorial_form_page(
    request: HttpRequest,
    form: DefinitionForm,
    *,
    instrument: Instrument,
    status: int = 200,
    **context: Any,
) -> HttpResponseBase:
    context |= {
        "form": form,
        "instrument": instrument,
        "has_form": bool(tutorials.criteria(instrument)),
        "languages": tutorials.languages(instrument.key),
        "stored": studies_queries.tutorials_listed(instrument.key, request.user.pk),
        "section": "instruments",
    }
    return render(request, "instruments/tutorials.html", context, status=status)


def _file(text: str, name: str) -> HttpResponse:
    disposition = f'attachment; filename="{name}.json"'
    headers = {"Content-Disposition": disposition}
    return HttpResponse(text, content_type="application/json", headers=headers)


# Instruments and tutorials as annotators see them, for researchers: nothing is stored.


@require_safe
@never_cache
@researcher_page
def instrument(request: HttpRequest, key: str, version: str) -> HttpResponseBase:
    """The page of a task, with the instrument's own example."""
    found = instrument_named(f"{key}@{version}")
    if found.version != version or not found.template:
        raise NotFound("There is no such version, or people are not asked with it.")
    links = [("Back to the instruments", reverse("annotate:instruments"))]
    return _example(request, found, language=request.GET.get("language", ""), links=links)


@require_POST
@never_cache
@researcher_page
def instrument_draft(request: HttpRequest) -> HttpResponseBase:
    """Show the task page of a definition that was checked and is not stored yet."""
    return _act_on_text(request, form_page, partial(_draft_example, request))


def _draft_example(request: HttpRequest, content: Any) -> HttpResponseBase:
    return _example(request, Rating(read_definition(content)))


@require_safe
@never_cache
@researcher_page
def tutorial_builtin(request: HttpRequest, key: str, language: str) -> HttpResponseBase:
    found = instrument_named(key)
    try:
        content = json.loads(tutorials.tutorial_file(found.key, language))
    except KeyError as error:
        raise NotFound(str(error.args[0])) from None
    return _question(request, found, content)


@require_safe
@never_cache
@researcher_page
def tutorial_stored(request: HttpRequest, key: str, tutorial_id: int) -> HttpResponseBase:
    found = instrument_named(key)
    try:
        return _question(request, found, studies_queries.content(tutorial_id, key=key))
    except Refused as refused:
        raise Conflict(f"It does not fit {found.label}, {found.version}: {refused}") from None


@require_POST
@never_cache
@researcher_page
def tutorial_draft(request: HttpRequest, key: str) -> HttpResponseBase:
    """Show a tutorial that was checked and is not stored yet."""
    found = instrument_named(key)
    page = partial(tutorial_form_page, instrument=found)
    return _act_on_text(request, page, partial(_question, request, found, is_draft=True))


@require_POST
@never_cache
@researcher_page
def grade(request: HttpRequest, key: str) -> HttpResponseBase:
    """Grade an answer by the tutorial that the request carries. Nothing is stored."""
    try:
        body = common_json.parse_json(requests.raw(request))
        asked, response = body["question"], dict(body["response"])
        found = _read(instrument_named(key), body["tutorial"])
        question = dict(enumerate(found.samples, start=1))[int(asked)]
    except (ValueError, KeyError, TypeError):
        message = "An answer has a “tutorial”, the “question” in it, and a “response”."
        raise Invalid({"answer": message}) from None
    with translation.override(interface_language(found.language)):
        return _graded(question, response)


def _graded(question: Question, response: Mapping[str, Any]) -> JsonResponse:
    try:
        return JsonResponse(work_pages.as_data(grading.grade(question, response)))
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
    study = tutorial_queries.preview_study(shown, language=own or language or "en")
    with translation.override(interface_language(study.language)):
        why = _("This is an example, so it is not sent and earns nothing.")
        return show_example(request, study, why=why, links=links)


def _read(found: Instrument, content: Any) -> Tutorial:
    return instruments_tutorials.read_tutorial(
        content, instrument=found.key, criteria=found.criteria, asked=found.asked
    )


def _question(
    request: HttpRequest, found: Instrument, content: Any, *, is_draft: bool = False
) -> HttpResponseBase:
    """One question of a tutorial: the one whose number was asked for, else the first."""
    whole = _read(found, content)
    asked = (request.POST if is_draft else request.GET).get("question", "")
    last = len(whole.samples)
    place = min(max(number_from(asked) or 1, 1), last)
    question = whole.samples[place - 1]
    with translation.override(interface_language(whole.language)):
        context = work_pages.question_context(
            tutorial_queries.preview_status(whole, place), question
        ) | {
            "study": {"title": found.label},
            "instrument": found,
            "place": place,
            "previous": place - 1,
            "following": place + 1 if place < last else 0,
            "definition": json.dumps(content, ensure_ascii=False) if is_draft else "",
            "told": feedback_on_answers(question),
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
        "tutorial": work_pages.question_data(question) | {"question": str(place)},
        "preview": {"tutorial": content},
    }


# The researcher's form of an instrument: no JSON, edited without a script.


Content = dict[str, Any]


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def instrument_forms_page(request: HttpRequest) -> HttpResponseBase:
    if request.method != "POST":
        return _form(
            request, instruments_data(request.GET.get("from", "")) or rating_instrument.instrument()
        )
    content, act = content_of(request.POST), request.POST.get("act", "save")
    kept = studies_forms.without_removed(content)
    try:
        if act == "save":
            return _define(request, kept)
        if act == "preview":
            return _draft_example(request, kept)
    except (NotDefined, Refused) as refused:
        return _form(request, kept, problems=refused.problems)
    except Conflict as conflict:
        problems = [Problem("key", conflict.message)]
        return _form(request, kept, problems=problems, status=conflict.status)
    return _form(request, content, focus=studies_forms.changed(content, act))


def _form(
    request: HttpRequest,
    content: Content,
    *,
    problems: Sequence[Problem] = (),
    focus: str = "",
    status: int = 422,
) -> HttpResponseBase:
    context = {
        "boxes": studies_forms.form_fields(content, problems, focus=focus),
        "placed": studies_forms.placed(problems),
        "usual_edit": EDITING,
        "most": studies_forms.MOST,
        "kinds": studies_forms.KINDS,
        "section": "instruments",
    }
    answer = status if problems else 200
    return render(request, "instruments/form.html", context, status=answer)


# The researcher's form of a tutorial: a draft from the definition, edited without a script.


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def tutorial_forms_page(request: HttpRequest, key: str) -> HttpResponseBase:
    instrument = instrument_named(key)
    known = tutorials.criteria(instrument)
    if not known:
        raise NotFound("This instrument has no questions with levels: its tutorials are JSON only.")
    if request.method != "POST":
        return _tutorial_form(request, instrument, _start(request, instrument))
    content = studies_forms.tutorial_content(
        request.POST, instrument=instrument.key, criteria=known
    )
    act, _colon, place = request.POST.get("act", "save").partition(":")
    try:
        if act == "save":
            return _store_tutorial(request, instrument.key, content, complete=True)
        if act == "preview":
            return _question(request, instrument, content, is_draft=True)
    except (NotDefined, Refused) as refused:
        return _tutorial_form(request, instrument, content, problems=refused.problems)
    focus = _changed(instrument, content, act, place, request.POST.get("about", ""))
    return _tutorial_form(request, instrument, content, focus=focus)


def _start(request: HttpRequest, instrument: Instrument) -> Content:
    """Return the stored tutorial that is asked for, otherwise a draft from the definition."""
    stored = number_from(request.GET.get("from", ""))
    if stored is None:
        return tutorials.draft(instrument)
    found: Content = studies_queries.content(stored, key=instrument.key)
    return found


def _changed(instrument: Instrument, content: Content, act: str, place: str, about: str) -> int:
    """Add, remove or move a question in `content`; return which one is looked at then."""
    questions, at = content["questions"], number_from(place) or 0
    known = tutorials.criteria(instrument)
    if act == "add" and about in known and len(questions) < MOST_QUESTIONS:
        keys = [str(one.get("key")) for one in questions]
        questions.append(tutorials.blank(instrument, known[about], keys))
        return len(questions) - 1
    other = {"up": at - 1, "down": at + 1}.get(act, at)
    if not (0 <= at < len(questions) and 0 <= other < len(questions)):
        return -1
    moved = questions.pop(at)
    if act != "remove":
        questions.insert(other, moved)
    return min(other, len(questions) - 1)


def _tutorial_form(
    request: HttpRequest,
    instrument: Instrument,
    content: Content,
    *,
    problems: Sequence[Problem] = (),
    focus: int = -1,
) -> HttpResponseBase:
    known = tutorials.criteria(instrument)
    questions = studies_forms.tutorial_questions(content, problems, known)
    context = {
        "instrument": instrument,
        "content": content,
        "questions": questions,
        "shared": studies_forms.shared(content),
        "criteria": known.values(),
        "input_label": tutorials.input_label(instrument),
        "placed": list(map(studies_forms.question_placed, problems)),
        "problems": {one.path: one.message for one in problems},
        "focus": focus,
        "unwritten": next((one.place for one in questions if one.lacks_text), -1),
        "most": MOST_QUESTIONS,
        "section": "instruments",
    }
    status = 422 if problems else 200
    return render(request, "instruments/tutorial_form.html", context, status=status)
