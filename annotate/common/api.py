"""What all of the API shares: errors (RFC 9457), cursors, keys of requests, fields, lists."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import wraps
from http import HTTPStatus
from typing import Any, ClassVar, TypeVar, cast

from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase, QueryDict
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from rest_framework.views import APIView, exception_handler

from annotate.accounts import tokens
from annotate.accounts.tokens import FIELD
from annotate.campaigns import plans
from annotate.campaigns.plans import LONGEST
from annotate.campaigns.problems import Problems, UploadRefused
from annotate.common import json as common_json
from annotate.common import lists as common_lists
from annotate.common import requests
from annotate.common.errors import BadCursor, Invalid, ServiceError, TooMany
from annotate.common.lists import Listing, RowPlace, Walk
from annotate.common.numbers import number_from
from annotate.common.schemas import problem_sentences_shown, suggestion
from annotate.models import KeptAnswer

CONTENT_TYPE = "application/problem+json"
SCHEMA = "Problem"
_ROWS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"line": {"type": "integer"}, "message": {"type": "string"}},
    },
}
_PROBLEM = {
    "type": "object",
    "description": "An error, by RFC 9457.",
    "required": ["type", "title", "status", "detail", "error", "message"],
    "properties": {
        "type": {"type": "string", "description": "always about:blank: `error` tells errors apart"},
        "title": {"type": "string", "description": "the words of the status"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "what happened, and what to do next"},
        "error": {"type": "string", "description": "a short code for programs"},
        "message": {"type": "string", "description": "the same as `detail`"},
        "errors": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "what to correct in each field",
        },
        "rows": _ROWS | {"description": "examples of wrong rows of a file"},
        "more": {"type": "boolean", "description": "whether more is wrong than `rows` shows"},
        "problems": {
            "type": "array",
            "items": {"type": "object"},
            "description": "the wrong rows by kind, with their lines and number",
        },
    },
}


def problem(code: str, message: str, status: int, **more: Any) -> dict[str, Any]:
    """Return the body of an error."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": message,
        "error": code,
        "message": message,
        **more,
    }


def described(result: dict[str, Any], **_generator: Any) -> dict[str, Any]:
    """Add to the description of the API which errors each operation answers with."""
    result["components"]["schemas"][SCHEMA] = _PROBLEM
    for operations in result["paths"].values():
        for method, operation in operations.items():
            for status in _statuses(method, operation):
                operation["responses"].setdefault(str(status), _answer(HTTPStatus(status).phrase))
            operation["responses"].setdefault("default", _answer("Any other error"))
    return result


def _statuses(method: str, operation: dict[str, Any]) -> list[int]:
    is_open = {} in operation.get("security", [{}])
    in_path = any(one["in"] == "path" for one in operation.get("parameters", ()))
    found = [400]
    found += [] if is_open else [401, 403]
    found += [404] if in_path else []
    found += [] if method == "get" else [409, 422]
    return found + ([413, 415] if "requestBody" in operation else [])


def _answer(description: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{SCHEMA}"}
    return {"description": description, "content": {CONTENT_TYPE: {"schema": schema}}}


# Cursors: places in a list as text that only this server can make.
#
# A cursor belongs to one list, with its filters and its order, so what stands in it can be trusted.


PARAM = "cursor"
# What an address may hold beside what decides which rows the list has, and in which order.
BESIDE = {PARAM, "page", "page_size"}


def made(place: RowPlace, *, of: str) -> str:
    """Return the cursor of a place in a list. of: the list (`list_of`)."""
    values = [{"at": one.isoformat()} if isinstance(one, datetime) else one for one in place.values]
    return _signer(of).sign_object([place.before, values])


def read_cursor(cursor: str, *, of: str) -> RowPlace:
    """Return the place of a cursor; raises `BadCursor` for that of another list."""
    try:
        before, values = _signer(of).unsign_object(cursor)
    except signing.BadSignature:
        raise BadCursor from None
    times = (datetime.fromisoformat(v["at"]) if isinstance(v, dict) else v for v in values)
    return RowPlace(tuple(times), before)


def list_of(path: str, query: Mapping[str, str]) -> str:
    """Return what names a list: its address, its filters and its order."""
    return repr((path, sorted(item for item in query.items() if item[0] not in BESIDE)))


def _signer(of: str) -> signing.Signer:
    return signing.Signer(salt=f"annotate.common.api:{of}")


# Writing requests with a key of the caller's have one effect, however often they are sent.
#
# The key, the act and its answer are one transaction. Errors are not kept: nothing
# was done, so a repeat tries again.


READING = ("GET", "HEAD", "OPTIONS")
REPEATED = "Idempotency-Replayed"
View = Callable[..., HttpResponseBase]


class DoneBefore(Exception):
    """This request was done before, with this answer."""

    def __init__(self, kept: KeptAnswer) -> None:
        super().__init__(kept.answered)
        self.kept = kept


def once(view: View, own_keys: tuple[str, ...]) -> View:
    """Put requests with a key into one transaction with what is kept of them.

    own_keys: methods or actions whose bodies have a key of their own, which does the same.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        actions = getattr(view, "actions", None) or {}
        method = (request.method or "").lower()
        if FIELD not in request.headers or actions.get(method, method) in own_keys:
            return view(request, *args, **kwargs)
        if request.method in READING:
            return view(request, *args, **kwargs)
        request.is_once = True  # type: ignore[attr-defined]
        with transaction.atomic():
            return _kept(request, view(request, *args, **kwargs))

    return wrapped


def begin(request: Request) -> None:
    """Raise `DoneBefore` if this request was done before. Call it when the user is known."""
    plain = request._request
    if getattr(plain, "is_once", False) and request.user.pk is not None:
        path = plain.get_full_path().encode()
        kind = plain.headers.get("Content-Type", "").encode()
        of = tokens.digest((plain.method or "").encode(), path, kind, requests.raw(plain))
        key = plain.headers[FIELD]
        kept = tokens.begin(request.user.pk, key, of)
        if kept is not None:
            raise DoneBefore(kept)
        plain.kept_as = request.user.pk, key  # type: ignore[attr-defined]


def _kept(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Keep the answer of an act; take everything back where there was none."""
    if isinstance(response, Response):
        response.render()
    if response.status_code >= 400:
        transaction.set_rollback(True)
    elif held := getattr(request, "kept_as", None):
        content = getattr(response, "content", b"").decode()
        user_id, key = held
        tokens.keep(user_id, key, status=response.status_code, content=content)
    return response


# What all parts of the API share: bounded bodies, paging by id, and one format of errors.


MOST_TOLD = 20  # unknown parameters, or fields
Method = Callable[..., Response]


class BoundedView(APIView):
    """Checks the length of a body before it is read, and lets a request with a key act once."""

    own_keys: tuple[str, ...] = ()  # methods or actions whose bodies have a key of their own

    @classmethod
    def as_view(cls, *args: Any, **kwargs: Any) -> Any:
        return once(super().as_view(*args, **kwargs), cls.own_keys)

    def body_limit(self) -> int:
        return requests.usual_limit()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if requests.length(request._request) > (limit := self.body_limit()):
            raise requests.too_large(request._request, limit)
        super().initial(request, *args, **kwargs)
        begin(request)


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
        if cursor is not None and number_from(str(cursor.position or 0)) is None:
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
        said = map(problem_sentences_shown, unknown)
        return {
            shown: f"Unknown field “{shown}”.{suggestion(name, known)}"
            for shown, name in zip(said, unknown, strict=True)
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
        raise Invalid(dict(zip(map(problem_sentences_shown, unknown), said, strict=True)))


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
    # Errors are JSON also where answers are not, such as the description of the API.
    context["request"].accepted_renderer = JSONRenderer()
    context["request"].accepted_media_type = JSONRenderer.media_type
    if isinstance(error, DoneBefore):
        data = json.loads(error.kept.content) if error.kept.content else None
        return Response(data, status=error.kept.answered or 200, headers={REPEATED: "true"})
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


def _problem(
    status: int, code: str, message: str, *, headers: dict[str, str] | None = None, **more: Any
) -> Response:
    body = problem(code, message, status, **more)
    return Response(body, status=status, headers=headers, content_type=CONTENT_TYPE)


def refusal_as_data(refusal: Problems) -> dict[str, Any]:
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


# Lists that are searched, ordered and walked page by page, whatever happens between two pages.


SIZE, LARGEST = 100, 1000
NUMBER = "page"
NAMES = (PARAM, NUMBER, "page_size", "q", "sort", "show")
NUMBERED = "Pages of the API have no numbers: follow `next`, from a request without `page`."

L = TypeVar("L", bound=Listing)


def asked(
    request: Request,
    *,
    sorts: Mapping[str, str],
    choices: Mapping[str, str] | None = None,
    usual: int = SIZE,
    address: str = "",
) -> Listing:
    """Return what the address asks of a list. The first of `sorts` and of `choices` is usual.

    usual: how many rows a page has, unless the address says so. address: of the list, if not here.
    """
    query, rows = request.query_params, size(request, usual)
    found = common_lists.asked(query, sorts=sorts, choices=choices, size=rows, anchor="")
    return walked(request, found, address)


def walked(request: Request, wanted: L, address: str = "", *, also: Iterable[str] = ()) -> L:
    """Return the same list from the place of the cursor in the address on.

    An act answers with the first page: it is done, and is no step on the way through a list.
    also: names in the address beside those that every list takes. Raises `Invalid` for others,
    `BadCursor`, and `ServiceError` for the number of a page, which says nothing here.
    """
    if request.method != "GET":
        return replace(wanted, walk=Walk())
    check_names(request, (*NAMES, *also))
    if NUMBER in request.query_params:
        raise ServiceError(NUMBERED, code="numbered")
    cursor = request.query_params.get(PARAM)
    if cursor is None:
        return replace(wanted, walk=Walk())
    return replace(wanted, walk=Walk(read_cursor(cursor, of=_list(request, address))))


def size(request: Request, usual: int = SIZE) -> int:
    """Return how many rows a page has."""
    wanted = number_from(request.query_params.get("page_size", ""))
    return usual if not wanted else min(wanted, LARGEST)


def links(request: Request, found: Listing, address: str = "") -> dict[str, Any]:
    """Return the number of rows, and the next and previous page. address: if not here."""
    assert found.walk is not None, "asked for by `walked`"
    path = f"{address or request.path}?{request.query_params.urlencode()}"
    here = remove_query_param(request.build_absolute_uri(path.removesuffix("?")), NUMBER)
    of = _list(request, address)

    def link(place: RowPlace | None) -> str | None:
        if place is None:
            return None
        return str(replace_query_param(here, PARAM, made(place, of=of)))

    return {
        "count": found.n,
        "next": link(found.walk.next),
        "previous": link(found.walk.previous),
    }


def answer(request: Request, found: Listing, rows: Any) -> Response:
    """Return a page with its links. rows: as data."""
    return Response(links(request, found) | {"results": rows})


class LinksSerializer(serializers.Serializer[Any]):
    """`count`: rows in all; `next`, `previous`: the pages beside this one."""

    count = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)


def shape(of: type[serializers.Serializer[Any]], name: str) -> Any:
    """Return how a page of these rows looks, for the schema."""
    every: dict[str, Any] = {**LinksSerializer().fields, "results": of(many=True)}
    return inline_serializer(f"{name}Page", every)


def parameters(
    sorts: Sequence[str] = (),
    choices: Sequence[str] = (),
    *,
    search: str = "",
    usual: int = SIZE,
) -> list[OpenApiParameter]:
    """Return what an address may ask for, for the schema. search: what `q` looks for."""
    found = [
        OpenApiParameter(PARAM, str, description="as `next` and `previous` have it"),
        OpenApiParameter("page_size", int, description=f"{usual} rows, at most {LARGEST}"),
    ]
    if search:
        found.append(OpenApiParameter("q", str, description=f"a part of {search}"))
    if sorts:
        names = [*sorts, *(f"-{name}" for name in sorts)]
        found.append(OpenApiParameter("sort", str, enum=names, description="-: the other way"))
    if choices:
        found.append(OpenApiParameter("show", str, enum=list(choices), description="these alone"))
    return found


def _list(request: Request, address: str) -> str:
    return list_of(address or request.path, request.query_params)


# Objects in requests: JSON, or its text in a form.


NEEDED = "needed once the campaign has opened; the log keeps it"


class ObjectField(serializers.DictField):
    """An object; a form sends it as JSON text. example: what such a text looks like."""

    example: ClassVar[str]

    def get_value(self, dictionary: Mapping[Any, Any]) -> Any:
        if self.field_name in dictionary:
            return dictionary[self.field_name]
        return super().get_value(dictionary)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, str):
            try:
                data = common_json.parse_json(data)
            except common_json.NotJson:
                raise serializers.ValidationError(f"Must look like {self.example}.") from None
        return dict(super().to_internal_value(data))


class TargetsField(ObjectField):
    """Numbers by criterion."""

    example = '{"overall": 0.2}'
    child = serializers.FloatField()


class SettingsField(ObjectField):
    """Settings of the screens: group -> name -> value."""

    example = '{"signals": {"on": true}}'


class TextsField(ObjectField):
    """A researcher's own texts, by their names."""

    example = '{"consent": "You may stop at any time."}'
    child = serializers.CharField(allow_blank=True)

    def get_default(self) -> Any:
        return plans.read_study_texts(super().get_default() or {})

    def to_internal_value(self, data: Any) -> Any:
        given = super().to_internal_value(data)
        if unknown := sorted(given.keys() - LONGEST.keys()):
            known = ", ".join(LONGEST)
            raise serializers.ValidationError(f"Unknown: {unknown[0][:40]}. There are {known}.")
        return plans.read_study_texts(given)
