"""The reference of the API as a page: drawn from its OpenAPI description, without a script."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from annotate.common.api import SCHEMA

Data = Mapping[str, Any]
DEEPEST = 4  # levels of objects within objects that are shown
JSON = "application/json"
# The groups, in this order: the first words of addresses after their campaign.
GROUPS = {
    "Logging in": ("token",),
    "Plans": ("plan",),
    "Campaigns": (
        *("campaigns", "open", "pause", "close", "bound-metrics", "archive", "delete"),
        *("imports", "links", "texts", "notifications"),
    ),
    "Instruments": ("instruments",),
    "Results": (
        *("estimates", "comparisons", "ranking", "agreement", "decisions", "sensitivity"),
        *("report", "activity"),
    ),
    "Data": ("items", "outputs", "judgments", "metrics", "annotators", "exclusions", "export"),
    "Review": ("reviews", "screens", "gold"),
    "Pay": ("accounts", "payouts", "extra-pay", "fee", "budget"),
    "Marketplaces": ("batches", "operations", "units-in-doubt"),
}
OTHERS = "Others"


@dataclass(frozen=True)
class ApiField:
    """A field of a body or an answer. name: with the objects around it, such as `rows[].line`."""

    name: str
    kind: str
    is_required: bool
    about: SafeString


@dataclass(frozen=True)
class ApiOperation:
    id: str
    method: str
    path: str
    title: SafeString
    about: tuple[SafeString, ...]
    parameters: tuple[ApiField, ...]
    body: tuple[ApiField, ...]
    body_kinds: str
    answers: tuple[tuple[str, tuple[ApiField, ...]], ...]  # statuses, fields
    errors: str


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show every operation of the API; nobody needs to log in."""
    groups, errors = reference()
    origin = request.build_absolute_uri("/").rstrip("/")
    context = {"groups": groups, "errors": errors, "origin": origin}
    return render(request, "api_reference.html", context)


@lru_cache(maxsize=1)
def reference() -> tuple[dict[str, list[ApiOperation]], tuple[ApiField, ...]]:
    """Return all operations by what they are about, and the fields of an error."""
    generator: Any = SchemaGenerator  # without types
    schema = generator().get_schema(request=None, public=True)
    schemas = schema["components"]["schemas"]
    groups: dict[str, list[ApiOperation]] = {title: [] for title in (*GROUPS, OTHERS)}
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            groups[_group(path)].append(_operation(method, path, operation, schemas))
    found = {title: operations for title, operations in groups.items() if operations}
    return found, tuple(_fields(schemas[SCHEMA], schemas))


def _group(path: str) -> str:
    words = [word for word in path.split("/") if word and "{" not in word][2:]
    about = words[1] if words[0] == "campaigns" and len(words) > 1 else words[0]
    return next((title for title, names in GROUPS.items() if about in names), OTHERS)


def _operation(method: str, path: str, operation: Data, schemas: Data) -> ApiOperation:
    title, *about = operation.get("description", "").split("\n\n")
    answers = operation["responses"]
    content = operation.get("requestBody", {}).get("content", {})
    return ApiOperation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        title=_words(title),
        about=tuple(map(_words, about)),
        parameters=tuple(_parameter(one, schemas) for one in operation.get("parameters", ())),
        body=tuple(_content(content, schemas)),
        body_kinds=", ".join(content),
        answers=tuple(_answers(answers, schemas)),
        errors=", ".join(status for status in answers if status.startswith("4")),
    )


def _parameter(given: Data, schemas: Data) -> ApiField:
    where = "" if given["in"] == "query" else f" in the {given['in']}"
    kind = _kind(given["schema"], schemas) + where
    return ApiField(given["name"], kind, given.get("required", False), _about(given))


def _answers(given: Data, schemas: Data) -> Iterator[tuple[str, tuple[ApiField, ...]]]:
    """Yield the answers of success, those with the same fields together."""
    found: dict[tuple[ApiField, ...], list[str]] = {}
    for status, answer in given.items():
        if status.startswith("2"):
            fields = tuple(_content(answer.get("content", {}), schemas))
            found.setdefault(fields, []).append(status)
    for fields, statuses in found.items():
        yield ", ".join(statuses), fields


def _content(content: Data, schemas: Data) -> Iterator[ApiField]:
    """Yield the fields of a body; of JSON where it may have several forms."""
    chosen: Data = content.get(JSON) or next(iter(content.values()), {})
    yield from _fields(chosen.get("schema", {}), schemas)


def _fields(given: Data, schemas: Data, *, before: str = "", depth: int = 0) -> Iterator[ApiField]:
    """Yield the fields of an object, those of objects within it after their own."""
    whole = _resolved(given, schemas)
    if whole.get("type") == "array":
        yield from _fields(whole.get("items", {}), schemas, before=f"{before}[]", depth=depth)
        return
    required = whole.get("required", ())
    for name, inner in whole.get("properties", {}).items():
        at = f"{before}.{name}" if before else name
        yield ApiField(at, _kind(inner, schemas), name in required, _about(inner))
        if depth < DEEPEST:
            yield from _fields(inner, schemas, before=at, depth=depth + 1)


def _resolved(given: Data, schemas: Data) -> Data:
    """Follow references; of one object that is extended, return that object."""
    while name := given.get("$ref"):
        given = schemas[name.rpartition("/")[2]]
    parts = given.get("allOf") or given.get("oneOf") or ()
    return _resolved(parts[0], schemas) if parts else given


def _about(given: Data) -> SafeString:
    """Return what a field says, without the list of its values, which stands in its type."""
    return _words(re.sub(r"^\* `[^\n]*\n?", "", given.get("description", ""), flags=re.M))


def _words(text: str) -> SafeString:
    """Return one paragraph, with what stands in backticks as code."""
    code = r"<code>\1</code>"
    return mark_safe(re.sub("`([^`]+)`", code, escape(" ".join(text.split()))))  # noqa: S308


def _kind(given: Data, schemas: Data) -> str:
    """Return the type in words: `integer or null`, `list of string`, `one of "open", "closed"`."""
    whole = _resolved(given, schemas)
    if values := [one for one in whole.get("enum", ()) if one not in (None, "")]:
        kind = "one of " + ", ".join(f"“{one}”" for one in values)
    elif whole.get("type") == "array":
        kind = f"list of {_kind(whole.get('items', {}), schemas)}"
    else:
        form = whole.get("format")
        kind = whole.get("type", "anything") + (f" ({form})" if form else "")
    return f"{kind} or null" if given.get("nullable") or whole.get("nullable") else kind
