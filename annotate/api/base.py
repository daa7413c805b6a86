"""What all parts of the API share: bounded bodies, pages by id, finite numbers."""

import math
from typing import Any

from django.conf import settings
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

from annotate.errors import Invalid, ServiceError


class TooLarge(ServiceError):
    """The body is larger than this address takes; it was not read."""

    status = 413
    code = "too_large"


class BoundedView(APIView):
    """Looks at the length of a body before anything reads it into memory."""

    def body_limit(self) -> int:
        return settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        # A body without a length is none: WSGI reads as far as the length says.
        length, limit = int(request.META.get("CONTENT_LENGTH") or 0), self.body_limit()
        if length > limit:
            raise TooLarge(f"This is {length:,} bytes; at most {limit:,} are taken here.")
        super().initial(request, *args, **kwargs)


class ById(CursorPagination):
    """Pages that neither skip nor repeat rows while new ones arrive."""

    ordering = "id"
    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000

    def decode_cursor(self, request: Request) -> Cursor | None:
        cursor = super().decode_cursor(request)
        if cursor is not None and not str(cursor.position or 0).isdecimal():
            raise NotFound("Invalid cursor")
        return cursor


class NewestFirst(ById):
    ordering = "-id"


class Finite(serializers.FloatField):
    """A number, or null where there is none: JSON knows neither NaN nor infinity."""

    def to_representation(self, value: Any) -> Any:
        number = float(value)
        return number if math.isfinite(number) else None


def validated(serializer: serializers.Serializer[Any]) -> dict[str, Any]:
    """Return the fields, or raise `Invalid` with what to correct in each."""
    if not serializer.is_valid():
        raise Invalid(flat(serializer.errors))
    return dict(serializer.validated_data)


def flat(errors: Any) -> dict[str, str]:
    """Return DRF's nested errors as one text for each field."""
    return {str(name): " ".join(_texts(found)) for name, found in errors.items()}


def _texts(found: Any) -> list[str]:
    if isinstance(found, dict):
        return [f"{name}: {text}" for name, inner in found.items() for text in _texts(inner)]
    if isinstance(found, list | tuple):
        return [text for inner in found for text in _texts(inner)]
    return [str(found)]
