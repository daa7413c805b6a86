"""Lists that are searched, ordered and shown page by page, as on the pages of the same lists."""

from collections.abc import Mapping, Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.utils.urls import remove_query_param, replace_query_param

from annotate.selectors import listings
from annotate.selectors.listings import Listing
from annotate.text.numerals import number

SIZE, LARGEST = 100, 1000


def asked(
    request: Request,
    *,
    sorts: Mapping[str, str],
    choices: Mapping[str, str] | None = None,
    usual: int = SIZE,
) -> Listing:
    """Return what the address asks of a list. The first of `sorts` and of `choices` is usual.

    usual: how many rows a page has, unless the address says so.
    """
    rows = size(request, usual)
    return listings.asked(request.query_params, sorts=sorts, choices=choices, size=rows, anchor="")


def size(request: Request, usual: int = SIZE) -> int:
    """Return how many rows a page has."""
    wanted = number(request.query_params.get("page_size", ""))
    return usual if not wanted else min(wanted, LARGEST)


def links(request: Request, found: Listing, address: str = "") -> dict[str, Any]:
    """Return how many rows there are, and the pages beside this one. address: if not here."""
    path = f"{address or request.path}?{request.query_params.urlencode()}"
    here = request.build_absolute_uri(path.removesuffix("?"))
    before, after = found.number - 1, found.number + 1
    return {
        "count": found.n,
        "next": replace_query_param(here, found.param, after) if after <= found.pages else None,
        "previous": None if not before else _to(here, found.param, before),
    }


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
        OpenApiParameter("page", int, description="from 1; one that does not exist is the nearest"),
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


def _to(here: str, param: str, page: int) -> str:
    return remove_query_param(here, param) if page == 1 else replace_query_param(here, param, page)
