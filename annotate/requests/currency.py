"""In which currency the pages of one request write money."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from annotate.text.figures import DOLLARS, counting_in

Respond = Callable[[HttpRequest], HttpResponseBase]


def dollars_at_first(get_response: Respond) -> Respond:
    """Write dollars until the campaign of a request is known, whatever the thread did before."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        with counting_in(DOLLARS):
            return get_response(request)

    return respond
