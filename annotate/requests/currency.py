"""The currency of the pages of one request."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from annotate.text.figures import DOLLARS, counting_in

Respond = Callable[[HttpRequest], HttpResponseBase]


def dollars_at_first(get_response: Respond) -> Respond:
    """Use dollars until the campaign of a request is known, whatever the thread used before."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        with counting_in(DOLLARS):
            return get_response(request)

    return respond
