"""What all parts of the API share: bounded bodies, pages by id, finite numbers."""

import math
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

from annotate.errors import Invalid
from annotate.requests import bodies
from annotate.text.numerals import number


class BoundedView(APIView):
    """Looks at the length of a body before anything reads it into memory."""

    def body_limit(self) -> int:
        return bodies.usual_limit()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if bodies.length(request._request) > (limit := self.body_limit()):
            raise bodies.too_large(request._request, limit)
        super().initial(request, *args, **kwargs)


class ById(CursorPagination):
    """Pages that neither skip nor repeat rows while new ones arrive."""

    ordering = "id"
    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000

    def decode_cursor(self, request: Request) -> Cursor | None:
        cursor = super().decode_cursor(request)
        if cursor is not None and number(str(cursor.position or 0)) is None:
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
