"""The first step of a new campaign: the form with the files. Other steps change what it began."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRedirect

from annotate import permissions
from annotate.errors import Invalid
from annotate.forms.new_campaign import FileStep
from annotate.forms.new_campaign.choices import RECOMMENDED
from annotate.forms.new_campaign.targets import usual_targets
from annotate.permissions import own_import, researcher_page
from annotate.requests import bodies
from annotate.selectors.studies import instruments
from annotate.services.campaigns import copying, plans
from annotate.services.campaigns.importing import receiving, stored
from annotate.services.campaigns.importing.fields import usual_names
from annotate.services.campaigns.plans import Plan
from annotate.views.campaigns.step_names import steps

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


@csrf_protect
def _new(request: HttpRequest) -> HttpResponseBase:
    named = _asked(request, "import")
    kept = own_import(request.user, named) if named else None
    if kept is not None and not kept.can_change and request.method != "POST":
        return redirect("annotate:import", kept.public_id)
    if sum(file.size or 0 for file in _files(request)) > settings.UPLOAD_LIMIT:
        return too_large(request)
    form = _form(request, kept)
    if request.method != "POST":
        return _page(request, form, kept)
    if not _is_possible(form):
        return _page(request, form, kept, status=422)
    return _go_to(request, _receive(request, form, kept))


def too_large(request: HttpRequest) -> HttpResponseBase:
    limit = settings.UPLOAD_LIMIT // (1024 * 1024)
    response = render(request, "413.html", {"limit": limit}, status=413)
    response["HX-Reselect"] = "#outcome"  # htmx puts the part, not the page, into the form
    return response


def _asked(request: HttpRequest, name: str) -> str:
    return request.POST.get(name) or request.GET.get(name, "")


def _form(request: HttpRequest, kept: Any) -> FileStep:
    given = (request.POST, request.FILES) if request.method == "POST" else ()
    return FileStep(
        *given,
        plan=_first_plan(request, kept),
        has_file=bool(kept and kept.has_file),
        columns=kept.columns if kept else None,
    )


def _first_plan(request: HttpRequest, kept: Any) -> Plan:
    """Return what this step starts from: the plan of an import, of a campaign, or a usual one."""
    if kept is not None:
        return stored.asked_of(kept)
    if like := _asked(request, "like"):
        return copying.plan_of(permissions.run(request.user, like))
    plan = Plan(name="", targets={}, metrics=RECOMMENDED)
    try:
        asked = instruments.named(_asked(request, "instrument"))
    except KeyError:
        asked = instruments.named(plan.instrument)
    else:
        plan = replace(plan, instrument=_asked(request, "instrument"))
    return replace(plan, **usual_targets(asked, plan.stop_mode))


def _is_possible(form: FileStep) -> bool:
    if form.is_valid():
        try:
            plans.check(form.plan())
        except Invalid as invalid:
            form.tell(invalid.errors)
    return form.is_valid()


def _receive(request: HttpRequest, form: FileStep, kept: Any) -> str:
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
        columns=form.columns,
    )
    return made.public_id


def _go_to(request: HttpRequest, public_id: str) -> HttpResponseBase:
    address = reverse("annotate:import-step", args=[public_id, "next"])
    if getattr(request, "htmx", False):
        return HttpResponseClientRedirect(address)
    return redirect(address)


def _page(
    request: HttpRequest, form: FileStep, kept: Any, *, status: int = 200
) -> HttpResponseBase:
    """The whole page, or, for htmx, its outcome: then the browser keeps the chosen files."""
    fragment = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {
        "form": form,
        "kept": kept,
        "like": _asked(request, "like"),
        "instrument": _asked(request, "instrument"),
        "section": "campaigns",
        "steps": steps(kept, "file"),
        "fragment": fragment,
        "upload_limit": settings.UPLOAD_LIMIT,
        "usual_names": usual_names(),
    }
    template = "campaigns/_outcome.html" if fragment else "campaigns/new.html"
    return render(request, template, context, status=status)


def _files(request: HttpRequest) -> "Iterable[UploadedFile[bytes]]":
    return [file for file in request.FILES.values() if isinstance(file, UploadedFile)]
