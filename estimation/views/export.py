"""The whole campaign as one file."""

from collections.abc import Iterable

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from annotate.permissions import researcher_page, with_results
from estimation.exporting import archive, standing
from estimation.exporting.standing import FollowedDownload

PATIENCE = 20  # questions about a download that has told nothing yet; one a second


@require_GET
@never_cache
@researcher_page
def download(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Send the export; `?of=` names the download for the page that asks how far it is."""
    campaign = with_results(request.user, public_id)
    name = _name(request, campaign.pk)
    if not name:
        return zipped(public_id)
    followed = FollowedDownload(name)
    parts = followed.over(archive.stream(campaign.public_id, progress=followed.progress))
    return _answer(campaign.public_id, parts)


@require_safe
@never_cache
@researcher_page
def standing_of(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return the progress of the download `?of=`, as a fragment that reloads automatically."""
    campaign = with_results(request.user, public_id)
    found = standing.find(_name(request, campaign.pk))
    before = request.GET.get("asked", "")
    asked = 1 + (int(before) if before.isascii() and before.isdecimal() and len(before) < 4 else 0)
    shown = {"standing": found, "is_awaited": found is None and asked < PATIENCE, "asked": asked}
    token = request.GET.get("of", "")
    return render(request, "estimates/_export.html", {**shown, "of": token, "campaign": campaign})


def zipped(public_id: str) -> HttpResponseBase:
    """Return the export as a download that is generated while it is sent."""
    return _answer(public_id, archive.stream(public_id))


def _answer(public_id: str, parts: Iterable[bytes]) -> HttpResponseBase:
    response = StreamingHttpResponse(parts, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{archive.name(public_id)}"'
    response["X-Accel-Buffering"] = "no"  # a proxy must not collect it first
    return response


def _name(request: HttpRequest, campaign_id: int) -> str:
    assert request.user.pk is not None  # a researcher's page
    return standing.name_of(campaign_id, request.user.pk, request.GET.get("of", ""))
