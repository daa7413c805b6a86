"""A new campaign from files: the first press shows what it would be, the second makes it.

Nothing is kept between the two: the browser sends the files again, and a signed digest tells
whether they and the plan are those that were shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRedirect

from annotate.campaign_form import CampaignForm
from annotate.errors import Invalid
from annotate.permissions import researcher_page
from annotate.services import ingest, plans, upload
from annotate.services.plans import Plan
from annotate.services.upload import Row, RowError, UploadRefused
from annotate.views.campaigns_preview import preview

FORM_ROOM = 1024 * 1024  # what the fields and the envelope around the files may take
SALT = "campaign-preview"


@dataclass(frozen=True)
class Uploaded:
    """A checked plan with its rows, and a digest of the bytes they came from."""

    plan: Plan
    rows: list[Row]
    metrics: tuple[str, ...]
    digest: str


# The token stands in the body, so checking it reads the body: only after its length is known.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@vary_on_headers("HX-Request")
@researcher_page
def new(request: HttpRequest) -> HttpResponseBase:
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if length > settings.UPLOAD_LIMIT + FORM_ROOM:
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
    if request.method != "POST":
        return _page(request, CampaignForm(initial=request.GET.dict()))
    if sum(file.size or 0 for file in _files(request)) > settings.UPLOAD_LIMIT:
        return too_large(request)
    form = CampaignForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, status=422)
    shown = _shown(request)
    try:
        uploaded = _read(form, seed=shown.get("seed"))
        if request.POST.get("act") == "create" and shown.get("digest") == uploaded.digest:
            return _create(request, uploaded)
    except (Invalid, UploadRefused) as refused:
        return _page(request, form, status=422, problems=_problems(form, refused))
    changed = bool(request.POST.get("shown"))
    return _page(
        request, form, changed=changed,
        preview=preview(uploaded.plan, uploaded.rows, uploaded.metrics),
        shown=signing.dumps({"digest": uploaded.digest, "seed": uploaded.plan.seed}, salt=SALT),
    )  # fmt: skip


def too_large(request: HttpRequest) -> HttpResponseBase:
    limit = settings.UPLOAD_LIMIT // (1024 * 1024)
    return render(request, "413.html", {"limit": limit}, status=413)


def _create(request: HttpRequest, uploaded: Uploaded) -> HttpResponseBase:
    campaign = ingest.create(uploaded.plan, uploaded.rows, owner_id=request.user.pk)
    messages.success(request, f"The campaign “{campaign.name}” is ready. Open it when you are.")
    address = reverse("estimation:dashboard", args=[campaign.public_id])
    if getattr(request, "htmx", False):
        return HttpResponseClientRedirect(address)
    return redirect(address)


def _page(
    request: HttpRequest, form: CampaignForm, *, status: int = 200, **context: Any
) -> HttpResponseBase:
    """The whole page, or, for htmx, its outcome: then the browser keeps the chosen files."""
    fragment = bool(getattr(request, "htmx", False))
    template = "campaigns/_outcome.html" if fragment else "campaigns/new.html"
    context |= {
        "form": form,
        "section": "campaigns",
        "fragment": fragment,
        "upload_limit": settings.UPLOAD_LIMIT,
    }
    return render(request, template, context, status=status)


def _files(request: HttpRequest) -> Iterable[UploadedFile]:
    return [file for file in request.FILES.values() if isinstance(file, UploadedFile)]


def _read(form: CampaignForm, *, seed: int | None) -> Uploaded:
    """Check the plan, then the files, then both together: nothing is stored.

    The seed is drawn for the preview, so that what it says of the cost is what will be.
    """
    plan = replace(form.plan(), seed=ingest.new_seed() if seed is None else seed)
    plans.check(plan)
    digest = sha256(repr(plan).encode())
    rows = upload.read(_lines(form.cleaned_data["outputs"], digest))
    if values := form.cleaned_data["metrics_file"]:
        try:
            rows = upload.read_metrics(_lines(values, digest), rows)
        except UploadRefused as refused:
            raise _of_metrics_file(refused) from None
    return Uploaded(plan, rows, ingest.check_rows(plan, rows), digest.hexdigest())


def _lines(file: UploadedFile, digest: Any) -> Iterable[bytes]:
    for line in file:
        digest.update(line)
        yield line


def _of_metrics_file(refused: UploadRefused) -> UploadRefused:
    errors = [RowError(e.line, f"(metrics file) {e.message}") for e in refused.errors]
    return UploadRefused(errors, more=refused.more)


def _shown(request: HttpRequest) -> dict[str, Any]:
    """Return what was shown: the digest of it, and its seed."""
    try:
        found = signing.loads(request.POST.get("shown", ""), salt=SALT, max_age=24 * 3600)
    except signing.BadSignature:
        return {}
    return dict(found) if isinstance(found, dict) else {}


def _problems(form: CampaignForm, refused: Invalid | UploadRefused) -> UploadRefused | None:
    """Put what concerns a field beside it; return what concerns lines of a file."""
    if isinstance(refused, UploadRefused):
        return refused
    first = form.width_fields[0].name
    for name, message in refused.errors.items():
        field = {"targets": first, "metrics": "metric_names", "tutorial_id": "tutorial"}.get(
            name, name
        )
        form.add_error(field if field in form.fields else None, message)
    return None
