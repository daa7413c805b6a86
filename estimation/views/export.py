"""The whole campaign as one file."""

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotate.permissions import researcher_page, with_results
from estimation.exporting import archive


@require_GET
@never_cache
@researcher_page
def download(request: HttpRequest, public_id: str) -> HttpResponseBase:
    return zipped(with_results(request.user, public_id).public_id)


def zipped(public_id: str) -> HttpResponseBase:
    """Return the export as a download that is generated while it is sent."""
    response = StreamingHttpResponse(archive.stream(public_id), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{archive.name(public_id)}"'
    response["X-Accel-Buffering"] = "no"  # a proxy must not collect it first
    return response
