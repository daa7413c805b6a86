"""Records the browser with which somebody signs in."""

from django.http import HttpRequest

from annotate.requests.client_address import client_address
from annotate.services.accounts import sign_ins


def note(request: HttpRequest, user_id: int) -> None:
    """Record the browser of a log-in, or the new key of its session."""
    if not request.session.session_key:
        request.session.save()
    sign_ins.note(
        user_id,
        str(request.session.session_key),
        browser=request.headers.get("User-Agent", ""),
        address=client_address(request),
    )
