"""A token for a user name and a password."""

from rest_framework.authtoken.views import ObtainAuthToken
from rest_framework.parsers import FormParser
from rest_framework.throttling import ScopedRateThrottle

from annotate.api.base import BoundedView
from annotate.api.parsers import JsonParser


class TokenView(BoundedView, ObtainAuthToken):
    """Few attempts per address and minute: this is where passwords are guessed."""

    parser_classes = (FormParser, JsonParser)
    throttle_classes = (ScopedRateThrottle,)
    throttle_scope = "token"
