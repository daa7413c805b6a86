"""The researcher's form of a tutorial: a draft from the definition, edited without a script."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.errors import NotFound
from annotate.forms import tutorials as fields
from annotate.instruments.base import Instrument
from annotate.instruments.tutorials import drafts
from annotate.instruments.tutorials.content import MOST_QUESTIONS
from annotate.permissions import researcher_page
from annotate.schemas import Problem, Refused
from annotate.selectors.studies import tutorial_contents as contents
from annotate.services.studies import definitions
from annotate.services.studies.definitions import TutorialInvalid
from annotate.text.numerals import number
from annotate.views.studies import previews
from annotate.views.studies.instruments import with_link
from annotate.views.studies.tutorial_contents import instrument_named

Content = dict[str, Any]


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest, key: str) -> HttpResponseBase:
    instrument = instrument_named(key)
    known = drafts.criteria(instrument)
    if not known:
        raise NotFound("This instrument has no questions with levels: its tutorials are JSON only.")
    if request.method != "POST":
        return _form(request, instrument, _start(request, instrument))
    content = fields.content_of(request.POST, instrument=instrument.key, criteria=known)
    act, _colon, place = request.POST.get("act", "save").partition(":")
    if act == "save":
        return _saved(request, instrument, content)
    if act == "preview":
        return _preview(request, instrument, content)
    focus = _changed(instrument, content, act, place, request.POST.get("about", ""))
    return _form(request, instrument, content, focus=focus)


def _start(request: HttpRequest, instrument: Instrument) -> Content:
    """Return the stored tutorial that is asked for, otherwise a draft from the definition."""
    stored = number(request.GET.get("from", ""))
    if stored is None:
        return drafts.draft(instrument)
    found: Content = contents.content(stored, key=instrument.key)
    return found


def _saved(request: HttpRequest, instrument: Instrument, content: Content) -> HttpResponseBase:
    try:
        made = definitions.store_tutorial(
            content, reference=instrument.key, owner_id=request.user.pk or 0, complete=True
        )
    except TutorialInvalid as refused:
        return _form(request, instrument, content, problems=refused.problems)
    text = "The tutorial is stored. Choose it when you create a campaign."
    preview = reverse("annotate:tutorial-stored-preview", args=[instrument.key, made.pk])
    messages.success(request, with_link(text, preview, "Preview it"))
    return redirect("annotate:tutorials", key=instrument.key)


def _preview(request: HttpRequest, instrument: Instrument, content: Content) -> HttpResponseBase:
    try:
        return previews.draft_question(request, instrument, content)
    except Refused as refused:
        return _form(request, instrument, content, problems=refused.problems)


def _changed(instrument: Instrument, content: Content, act: str, place: str, about: str) -> int:
    """Add, remove or move a question in `content`; return which one is looked at then."""
    questions, at = content["questions"], number(place) or 0
    known = drafts.criteria(instrument)
    if act == "add" and about in known and len(questions) < MOST_QUESTIONS:
        keys = [str(one.get("key")) for one in questions]
        questions.append(drafts.blank(instrument, known[about], keys))
        return len(questions) - 1
    other = {"up": at - 1, "down": at + 1}.get(act, at)
    if not (0 <= at < len(questions) and 0 <= other < len(questions)):
        return -1
    moved = questions.pop(at)
    if act != "remove":
        questions.insert(other, moved)
    return min(other, len(questions) - 1)


def _form(
    request: HttpRequest,
    instrument: Instrument,
    content: Content,
    *,
    problems: Sequence[Problem] = (),
    focus: int = -1,
) -> HttpResponseBase:
    known = drafts.criteria(instrument)
    questions = fields.rows(content, problems, known)
    context = {
        "instrument": instrument,
        "content": content,
        "questions": questions,
        "shared": fields.shared(content),
        "criteria": known.values(),
        "input_label": drafts.input_label(instrument),
        "placed": fields.placed(problems),
        "problems": {one.path: one.message for one in problems},
        "focus": focus,
        "unwritten": next((one.place for one in questions if one.lacks_text), -1),
        "most": MOST_QUESTIONS,
        "section": "instruments",
    }
    status = 422 if problems else 200
    return render(request, "instruments/tutorial_form.html", context, status=status)
