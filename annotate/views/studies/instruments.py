"""The researcher's pages of instruments: what there is, defining one, taking one as a start."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotate.errors import Conflict, NotFound
from annotate.forms.base import DefinitionForm
from annotate.instruments.rating.instrument import Rating
from annotate.instruments.rating.writing import as_data
from annotate.permissions import researcher_page
from annotate.schemas import Problem, Refused, parse
from annotate.selectors.studies import instruments as selectors
from annotate.services.studies import definitions
from annotate.services.studies.definitions import NotDefined


@require_safe
@never_cache
@researcher_page
def index(request: HttpRequest) -> HttpResponseBase:
    rows = selectors.listed(request.user.pk)
    context = {
        "languages": settings.LANGUAGES,
        "built_in": [row for row in rows if row.built_in],
        "defined": [row for row in rows if not row.built_in],
        "section": "instruments",
    }
    return render(request, "instruments/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def new(request: HttpRequest) -> HttpResponseBase:
    if request.method != "POST":
        start = _text(request.GET.get("from", ""))
        return form_page(request, DefinitionForm(initial={"definition": start}))
    form = DefinitionForm(request.POST, request.FILES)
    if not form.is_valid():
        return form_page(request, form, status=422)
    try:
        made = definitions.define(parse(form.text), owner_id=request.user.pk or 0)
    except NotDefined as refused:
        return form_page(request, form, status=422, problems=refused.problems)
    except Refused as refused:
        return form_page(request, form, status=422, problems=refused.problems)
    except Conflict as conflict:
        problems = [Problem("key", conflict.message)]
        return form_page(request, form, status=conflict.status, problems=problems)
    return defined(request, made.definition, version=made.version)


def defined(
    request: HttpRequest, definition: Mapping[str, Any], *, version: int
) -> HttpResponseBase:
    """Say that an instrument is stored, and show the list."""
    text = f"“{definition['label']}”, version {version}, is defined."
    preview = reverse("annotate:instrument-preview", args=[definition["key"], version])
    messages.success(request, with_link(text, preview, "Preview it"))
    return redirect("annotate:instruments")


@require_safe
@never_cache
@researcher_page
def download(_request: HttpRequest, key: str, version: str) -> HttpResponseBase:
    """A definition as a file to start from."""
    content = _text(f"{key}@{version}")
    if not content:
        raise NotFound("There is no such instrument, or it is not made of a definition.")
    name = f'attachment; filename="{key}-{version}.json"'
    return HttpResponse(
        content, content_type="application/json", headers={"Content-Disposition": name}
    )


def with_link(text: str, address: str, words: str) -> SafeString:
    """Return a message with a link to the next step."""
    return format_html('{} <a href="{}">{}</a>', text, address, words)


def data(reference: str) -> dict[str, Any]:
    """Return an instrument's definition as JSON data; {} where it has none."""
    try:
        instrument = selectors.named(reference)
    except KeyError:
        return {}
    return as_data(instrument.definition) if isinstance(instrument, Rating) else {}


def _text(reference: str) -> str:
    """Return an instrument's definition as JSON text; "" where it has none."""
    found = data(reference)
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n" if found else ""


def form_page(
    request: HttpRequest, form: forms.Form, *, status: int = 200, **context: Any
) -> HttpResponseBase:
    context |= {"form": form, "section": "instruments"}
    return render(request, "instruments/new.html", context, status=status)
