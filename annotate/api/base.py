"""What all parts of the API share: bounded bodies, paging by id, and one format of errors."""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, cast

from django.http import QueryDict
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from annotate.api import once
from annotate.api.problems import CONTENT_TYPE, problem
from annotate.errors import BadCursor, Invalid, ServiceError, TooMany
from annotate.requests import bodies
from annotate.services.campaigns.importing.problems import Refusal, UploadRefused
from annotate.text.numerals import number
from annotate.text.problem_sentences import shown, suggestion

MOST_TOLD = 20  # unknown parameters, or fields
Method = Callable[..., Response]


class BoundedView(APIView):
    """Checks the length of a body before it is read, and lets a request with a key act once."""

    own_keys: tuple[str, ...] = ()  # methods or actions whose bodies have a key of their own

    @classmethod
    def as_view(cls, *args: Any, **kwargs: Any) -> Any:
        return once.once(super().as_view(*args, **kwargs), cls.own_keys)

    def body_limit(self) -> int:
        return bodies.usual_limit()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if bodies.length(request._request) > (limit := self.body_limit()):
            raise bodies.too_large(request._request, limit)
        super().initial(request, *args, **kwargs)
        once.begin(request)


class ById(CursorPagination):
    """Pages that neither skip nor repeat rows while new ones arrive."""

    ordering = "id"
    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000

    def decode_cursor(self, request: Request) -> Cursor | None:
        try:
            cursor = super().decode_cursor(request)
        except NotFound:  # the framework's answer to a cursor that it cannot read
            raise BadCursor from None
        if cursor is not None and number(str(cursor.position or 0)) is None:
            raise BadCursor
        return cursor


class NewestFirst(ById):
    ordering = "-id"


class Finite(serializers.FloatField):
    """A number, or null where there is none: JSON has neither NaN nor infinity."""

    def to_representation(self, value: Any) -> Any:
        number = float(value)
        return number if math.isfinite(number) else None


class RequestSerializer(serializers.Serializer[Any]):
    """The fields of a request. Others are refused: what they ask for would be left out silently."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = self._unknown(data) if isinstance(data, Mapping) else {}
        try:
            found = super().to_internal_value(data)
        except serializers.ValidationError as error:
            wrong = cast(dict[str, Any], error.detail)
            raise serializers.ValidationError(unknown | wrong) from None
        if unknown:
            raise serializers.ValidationError(unknown)
        return found

    def _unknown(self, data: Mapping[str, Any]) -> dict[str, str]:
        """Return a sentence for each unknown field. A form writes `targets.overall`, `gold[0]`."""
        known = [name for name, field in self.fields.items() if not field.read_only]
        form = isinstance(data, QueryDict)
        unknown = [
            name
            for name in data
            if (name.partition(".")[0].partition("[")[0] if form else name) not in known
        ][:MOST_TOLD]
        return {
            shown(name): f"Unknown field “{shown(name)}”.{suggestion(name, known)}"
            for name in unknown
        }


def takes_no_fields(**described: Any) -> Callable[[Method], Any]:
    """Describe an act whose request has no fields, and refuse those that are sent all the same.

    described: as `extend_schema` takes it.
    """

    def decorate(method: Method) -> Any:
        @wraps(method)
        def checked(view: APIView, request: Request, *args: Any, **kwargs: Any) -> Response:
            validated(RequestSerializer(data=request.data))
            return method(view, request, *args, **kwargs)

        return extend_schema(request=None, **described)(checked)

    return decorate


def check_names(request: Request, known: Iterable[str], *, hint: str = "") -> None:
    """Refuse parameters of the address that are not known: they would be left out silently.

    hint: a sentence that follows each refusal. Raises `Invalid`.
    """
    names = set(known)
    unknown = [name for name in request.query_params if name not in names][:MOST_TOLD]
    if unknown:
        said = (f"Unknown parameter.{suggestion(name, names)} {hint}".strip() for name in unknown)
        raise Invalid(dict(zip(map(shown, unknown), said, strict=True)))


def validated(serializer: RequestSerializer) -> dict[str, Any]:
    """Return the fields, or raise `Invalid` with what to correct in each."""
    if not serializer.is_valid():
        raise Invalid(flat(serializer.errors))
    return dict(serializer.validated_data)


def flat(errors: Any) -> dict[str, str]:
    """Return DRF's nested errors as one text per field."""
    return {str(name): " ".join(_texts(found)) for name, found in errors.items()}


def _texts(found: Any) -> list[str]:
    if isinstance(found, dict):
        return [f"{name}: {text}" for name, inner in found.items() for text in _texts(inner)]
    if isinstance(found, list | tuple):
        return [text for inner in found for text in _texts(inner)]
    return [str(found)]


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer with a problem (RFC 9457): `error` is its code, `detail` and `message` say what to do.

    If fields are wrong, `errors` maps each to what to do. If rows of an upload are wrong, `rows`
    lists line and message of examples, and `problems` counts all errors by kind.
    """
    _as_json(context["request"])
    if isinstance(error, once.DoneBefore):
        return once.replayed(error.kept)
    if isinstance(error, ServiceError):
        fields = {"errors": error.errors} if isinstance(error, Invalid) else {}
        later = {"Retry-After": str(error.wait)} if isinstance(error, TooMany) else None
        return _problem(error.status, error.code, error.message, headers=later, **fields)
    if isinstance(error, UploadRefused):
        told = refusal_as_data(error.refusal)
        return _problem(422, "refused", told.pop("message"), **told)
    response = exception_handler(error, context)
    if response is not None:
        response.data = problem(status=response.status_code, **_framework_error(response.data))
        response.content_type = CONTENT_TYPE
    return response


def _as_json(request: Request) -> None:
    """Let errors be JSON also where answers are not, such as the description of the API."""
    request.accepted_renderer = JSONRenderer()
    request.accepted_media_type = JSONRenderer.media_type


def _problem(
    status: int, code: str, message: str, *, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    body = problem(code, message, status, **more)
    return Response(body, status=status, headers=headers, content_type=CONTENT_TYPE)


def refusal_as_data(refusal: Refusal) -> dict[str, Any]:
    return {
        "message": str(refusal),
        "rows": [{"line": row.line, "message": row.message} for row in refusal.errors],
        "more": refusal.more,
        "problems": [
            {
                "message": problem.message,
                "lines": [row.line for row in problem.examples],
                "count": problem.count,
            }
            for problem in refusal.problems
        ],
    }


def _framework_error(data: Any) -> dict[str, Any]:
    if isinstance(data, dict) and "detail" in data:
        detail = data["detail"]
        return {"code": getattr(detail, "code", "refused"), "message": str(detail)}
    errors = flat(data) if isinstance(data, dict) else flat({"body": data})
    return {"code": "invalid", "message": " ".join(errors.values()), "errors": errors}
