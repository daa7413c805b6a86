"""A token for a user name and a password, and for a code where the account has a second factor."""

from typing import Any

from rest_framework import serializers
from rest_framework.authtoken.serializers import AuthTokenSerializer
from rest_framework.authtoken.views import ObtainAuthToken
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import FormParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.accounts import accounts, second_factor, tokens
from annotate.campaigns.parsers import JsonParser
from annotate.common.api import BoundedView, RequestSerializer
from annotate.common.errors import ServiceError, TooMany
from annotate.common.limits import in_minutes

LONGEST_CODE = 60  # characters
CODE_NEEDED = (
    "This account has a second factor. Send its current code, or a recovery code, as `code` too."
)


class TokenSerializer(RequestSerializer, AuthTokenSerializer):
    code = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST_CODE,
        write_only=True,
        help_text="For accounts with a second factor: the code that the app shows, or a recovery "
        "code. Each is good once. Without it the answer is 400 with the error `code_needed`.",
    )


class TokenView(BoundedView, ObtainAuthToken):
    """Each answer holds a new token, good for a year. The page of the account lists and revokes it.

    Attempts are limited together with those on the log-in page (config/login.py). An account with
    a second factor also sends `code`; tokens that it has go on working.
    """

    parser_classes = (FormParser, JsonParser)
    serializer_class = TokenSerializer

    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        serializer = self.get_serializer(data=request.data)
        try:
            serializer.is_valid(raise_exception=True)
        except ValidationError:
            if wait := getattr(request, "locked_for", 0):
                message = f"Too many attempts. Wait {in_minutes(wait)}, then try again."
                raise TooMany(message, wait=wait) from None
            raise
        given = serializer.validated_data
        _check_code(request, given["user"].pk, given.get("code", ""))
        return Response({"token": tokens.make_by_password(given["user"].pk)})


def _check_code(request: Request, user_id: int, code: str) -> None:
    """Raise a `ServiceError` where a second factor is on and the code is missing or wrong."""
    if not accounts.has_second_factor(user_id):
        return
    if not code:
        raise ServiceError(CODE_NEEDED, code="code_needed")
    if not second_factor.use_code(request._request, user_id, code):
        raise ServiceError(second_factor.problem(code), code="wrong_code")
