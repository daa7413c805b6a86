"""A new campaign: the form with the files and the plan. What follows is on the import's page."""

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRedirect

from annotate.errors import Invalid
from annotate.forms.campaigns import CampaignForm, initial_of
from annotate.permissions import own_import, researcher_page
from annotate.requests import bodies
from annotate.services.campaigns import plans
from annotate.services.campaigns.importing import receiving, stored

FORM_ROOM = 1024 * 1024  # bytes for the fields and the multipart envelope around the files


@bodies.measures_its_body
# The token stands in the body, so checking it reads the body: only after its length is known.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@vary_on_headers("HX-Request")
@researcher_page
def new(request: HttpRequest) -> HttpResponseBase:
    if bodies.length(request) > settings.UPLOAD_LIMIT + FORM_ROOM:
        return too_large(request)
    answer: HttpResponseBase = _new(request)
    return answer


@require_safe
@never_cache
@researcher_page
def criteria(request: HttpRequest) -> HttpResponseBase:
    """The fields for the criteria of another instrument, for the form that is open."""
    form = CampaignForm(initial={"instrument": request.GET.get("instrument", "")})
    return render(request, "campaigns/_criteria.html", {"form": form})


@csrf_protect
def _new(request: HttpRequest) -> HttpResponseBase:
    named = request.POST.get("import") or request.GET.get("import", "")
    kept = own_import(request.user, named) if named else None
    if request.method != "POST":
        return _empty(request, kept)
    if sum(file.size or 0 for file in _files(request)) > settings.UPLOAD_LIMIT:
        return too_large(request)
    form = CampaignForm(request.POST, request.FILES, has_file=bool(kept and kept.has_file))
    if not form.is_valid():
        return _page(request, form, kept, status=422)
    try:
        plans.check(form.plan())
    except Invalid as invalid:
        _tell(form, invalid)
        return _page(request, form, kept, status=422)
    return _go_to(request, _receive(request, form, kept))


def too_large(request: HttpRequest) -> HttpResponseBase:
    limit = settings.UPLOAD_LIMIT // (1024 * 1024)
    response = render(request, "413.html", {"limit": limit}, status=413)
    response["HX-Reselect"] = "#outcome"  # htmx puts the part, not the page, into the form
    return response


def _empty(request: HttpRequest, kept: Any) -> HttpResponseBase:
    """The form as it is opened: with defaults, or with the plan of an import that is changed."""
    if kept is None:
        return _page(request, CampaignForm(initial=request.GET.dict()), None)
    if not kept.can_change:
        return redirect("annotate:import", kept.public_id)
    form = CampaignForm(initial=initial_of(stored.plan_of(kept)), has_file=kept.has_file)
    return _page(request, form, kept)


def _receive(request: HttpRequest, form: CampaignForm, kept: Any) -> str:
    """Keep what was sent, and return the public id of the import."""
    assert request.user.pk is not None
    made = receiving.receive_or_change(
        form.plan(),
        form.cleaned_data["outputs"],
        form.cleaned_data["metrics_file"],
        owner_id=request.user.pk,
        key=form.cleaned_data["key"] or uuid4().hex,
        before=kept,
        drop_metrics=form.cleaned_data["drop_metrics"],
    )
    return made.public_id


def _go_to(request: HttpRequest, public_id: str) -> HttpResponseBase:
    address = reverse("annotate:import", args=[public_id])
    if getattr(request, "htmx", False):
        return HttpResponseClientRedirect(address)
    return redirect(address)


def _page(
    request: HttpRequest, form: CampaignForm, kept: Any, *, status: int = 200
) -> HttpResponseBase:
    """The whole page, or, for htmx, its outcome: then the browser keeps the chosen files."""
    fragment = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {
        "form": form,
        "kept": kept,
        "section": "campaigns",
        "fragment": fragment,
        "upload_limit": settings.UPLOAD_LIMIT,
    }
    template = "campaigns/_outcome.html" if fragment else "campaigns/new.html"
    return render(request, template, context, status=status)


def _files(request: HttpRequest) -> "Iterable[UploadedFile[bytes]]":
    return [file for file in request.FILES.values() if isinstance(file, UploadedFile)]


def _tell(form: CampaignForm, invalid: Invalid) -> None:
    """Put what is wrong with the plan beside its field."""
    fields = {
        "targets": form.width_fields[0].name,
        "margins": form.margin_fields[0].name,
        "metrics": "metric_names",
        "tutorial_id": "tutorial",
    }
    for name, message in invalid.errors.items():
        field = fields.get(name, name)
        form.add_error(field if field in form.fields else None, message)
