"""What is noted of a browser when somebody signs in with it."""

from django.http import HttpRequest

from annotate.requests.client_address import client_address
from annotate.services.accounts import sign_ins


def note(request: HttpRequest, user_id: int) -> None:
    """Note with which browser somebody signs in, or under which key their session goes on."""
    if not request.session.session_key:
        request.session.save()
    sign_ins.note(
        user_id,
        str(request.session.session_key),
        browser=request.headers.get("User-Agent", ""),
        address=client_address(request),
    )
