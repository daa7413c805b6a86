"""Lists that are searched, ordered and walked page by page, whatever happens between two pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from annotate.api import cursors
from annotate.api.base import check_names
from annotate.errors import ServiceError
from annotate.selectors import listings
from annotate.selectors.listings import Listing, RowPlace, Walk
from annotate.text.numerals import number

SIZE, LARGEST = 100, 1000
NUMBER = "page"
NAMES = (cursors.PARAM, NUMBER, "page_size", "q", "sort", "show")
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
    found = listings.asked(query, sorts=sorts, choices=choices, size=rows, anchor="")
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
    cursor = request.query_params.get(cursors.PARAM)
    if cursor is None:
        return replace(wanted, walk=Walk())
    return replace(wanted, walk=Walk(cursors.read(cursor, of=_list(request, address))))


def size(request: Request, usual: int = SIZE) -> int:
    """Return how many rows a page has."""
    wanted = number(request.query_params.get("page_size", ""))
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
        return str(replace_query_param(here, cursors.PARAM, cursors.made(place, of=of)))

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
        OpenApiParameter(cursors.PARAM, str, description="as `next` and `previous` have it"),
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
    return cursors.list_of(address or request.path, request.query_params)
