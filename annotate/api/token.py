"""A token for a user name and a password."""

from typing import Any

from rest_framework.authtoken.views import ObtainAuthToken
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import FormParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.base import BoundedView
from annotate.api.parsers import JsonParser
from annotate.errors import TooMany
from annotate.requests.waiting import in_minutes
from annotate.services.accounts import api_tokens


class TokenView(BoundedView, ObtainAuthToken):
    """Each answer holds a new token, good for a year. The page of the account lists and revokes it.

    Attempts are limited together with those on the log-in page (config/login.py).
    """

    parser_classes = (FormParser, JsonParser)

    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        serializer = self.get_serializer(data=request.data)
        try:
            serializer.is_valid(raise_exception=True)
        except ValidationError:
            if wait := getattr(request, "locked_for", 0):
                message = f"Too many attempts. Wait {in_minutes(wait)}, then try again."
                raise TooMany(message, wait=wait) from None
            raise
        user = serializer.validated_data["user"]
        return Response({"token": api_tokens.make_by_password(user.pk)})
