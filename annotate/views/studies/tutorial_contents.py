"""The researcher's page of an instrument's tutorials: take one, supply one's own."""

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotate.errors import NotFound
from annotate.forms.base import DefinitionForm
from annotate.instruments.base import Instrument
from annotate.instruments.tutorials import drafts, files
from annotate.permissions import researcher_page
from annotate.schemas import Refused, parse
from annotate.selectors.studies import instruments as selectors
from annotate.selectors.studies import tutorial_contents as contents
from annotate.services.studies import definitions
from annotate.services.studies.definitions import TutorialInvalid
from annotate.views.studies.instruments import with_link


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest, key: str) -> HttpResponseBase:
    instrument = instrument_named(key)
    if request.method != "POST":
        return form_page(request, instrument, DefinitionForm())
    form = DefinitionForm(request.POST, request.FILES)
    if not form.is_valid():
        return form_page(request, instrument, form, status=422)
    try:
        made = definitions.store_tutorial(
            parse(form.text), reference=key, owner_id=request.user.pk or 0
        )
    except (Refused, TutorialInvalid) as refused:
        return form_page(request, instrument, form, status=422, problems=refused.problems)
    text = "The tutorial is stored. Choose it when you create a campaign."
    preview = reverse("annotate:tutorial-stored-preview", args=[key, made.pk])
    messages.success(request, with_link(text, preview, "Preview it"))
    return redirect("annotate:tutorials", key=key)


@require_safe
@never_cache
@researcher_page
def builtin(_request: HttpRequest, key: str, language: str) -> HttpResponseBase:
    try:
        text = files.text(key, language)
    except KeyError as error:
        raise NotFound(str(error.args[0])) from None
    return _file(text, f"{key}-tutorial-{language}")


@require_safe
@never_cache
@researcher_page
def stored(_request: HttpRequest, key: str, tutorial_id: int) -> HttpResponseBase:
    content = contents.content(tutorial_id, key=key)
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    return _file(text, f"{key}-tutorial-{tutorial_id}")


def instrument_named(reference: str) -> Instrument:
    try:
        return selectors.named(reference)
    except KeyError as error:
        raise NotFound(str(error.args[0])) from None


def form_page(
    request: HttpRequest,
    instrument: Instrument,
    form: DefinitionForm,
    *,
    status: int = 200,
    **context: Any,
) -> HttpResponseBase:
    context |= {
        "form": form,
        "instrument": instrument,
        "has_form": bool(drafts.criteria(instrument)),
        "languages": files.languages(instrument.key),
        "stored": contents.listed(instrument.key, request.user.pk),
        "section": "instruments",
    }
    return render(request, "instruments/tutorials.html", context, status=status)


def _file(text: str, name: str) -> HttpResponse:
    disposition = f'attachment; filename="{name}.json"'
    headers = {"Content-Disposition": disposition}
    return HttpResponse(text, content_type="application/json", headers=headers)
