"""Where crowds tell us that something happened: signed by them, no session, no cookie."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotate.errors import ServiceError
from annotate.requests import bodies
from annotate.services.marketplace import events


@csrf_exempt
@require_POST
def receive(request: HttpRequest, crowd: str) -> HttpResponse:
    """204 for every event that is theirs, seen before or not: they need not send it again."""
    try:
        events.receive(crowd, bodies.raw(request), request.headers)
    except ServiceError as error:
        return HttpResponse(error.message, status=error.status, content_type="text/plain")
    return HttpResponse(status=204)
