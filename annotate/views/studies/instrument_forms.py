"""The researcher's form of an instrument: no JSON, edited without a script."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.errors import Conflict
from annotate.forms.instrument import changing, places, showing
from annotate.forms.instrument.reading import content_of
from annotate.instruments.rating import drafts
from annotate.instruments.rating.definition import EDITING
from annotate.instruments.rating.reading import MOST_CRITERIA, MOST_LEVELS, MOST_SECTIONS
from annotate.permissions import researcher_page
from annotate.schemas import Problem, Refused
from annotate.services.studies import definitions
from annotate.services.studies.definitions import NotDefined
from annotate.views.studies import instruments, previews

Content = dict[str, Any]


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest) -> HttpResponseBase:
    if request.method != "POST":
        return _form(request, instruments.data(request.GET.get("from", "")) or drafts.instrument())
    content, act = content_of(request.POST), request.POST.get("act", "save")
    if act == "save":
        return _saved(request, content)
    if act == "preview":
        return _preview(request, content)
    return _form(request, content, focus=changing.changed(content, act))


def _saved(request: HttpRequest, content: Content) -> HttpResponseBase:
    try:
        made = definitions.define(content, owner_id=request.user.pk or 0)
    except NotDefined as refused:
        return _form(request, content, problems=refused.problems)
    except Conflict as conflict:
        problems = [Problem("key", conflict.message)]
        return _form(request, content, problems=problems, status=conflict.status)
    return instruments.defined(request, made.definition, version=made.version)


def _preview(request: HttpRequest, content: Content) -> HttpResponseBase:
    try:
        return previews.draft_example(request, content)
    except Refused as refused:
        return _form(request, content, problems=refused.problems)


def _form(
    request: HttpRequest,
    content: Content,
    *,
    problems: Sequence[Problem] = (),
    focus: str = "",
    status: int = 422,
) -> HttpResponseBase:
    context = {
        "boxes": showing.shown(content, problems, focus=focus),
        "placed": places.placed(problems),
        "usual_edit": EDITING,
        "most": {"criteria": MOST_CRITERIA, "levels": MOST_LEVELS, "sections": MOST_SECTIONS},
        "section": "instruments",
    }
    answer = status if problems else 200
    return render(request, "instruments/form.html", context, status=answer)
