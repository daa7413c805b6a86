"""The API's description of itself: every error it answers with, and a page for people."""

import re
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from annotate.common.api import CONTENT_TYPE
from config import api_reference
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

PAGE = "/api/v1/reference/"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    generator: Any = SchemaGenerator  # without types
    found: dict[str, Any] = generator().get_schema(request=None, public=True)
    return found


def test_the_description_is_valid(schema: dict[str, Any]) -> None:
    validate_schema(schema)


def test_every_operation_tells_its_errors(schema: dict[str, Any]) -> None:
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            found = set(operation["responses"])
            assert {"400", "401", "403", "default"} <= found, (method, path)
            assert ("{" not in path) or "404" in found, (method, path)
            assert (method == "get") or {"409", "422"} <= found, (method, path)


ERRORS = [
    ("get", "/api/v1/campaigns/", None, 401, "Unauthorized"),
    ("get", "/api/v1/campaigns/none/", None, 404, "Not Found"),
    ("get", "/api/v1/nothing/", None, 404, "Not Found"),
    ("put", "/api/v1/campaigns/", {}, 405, "Method Not Allowed"),
    ("post", "/api/v1/campaigns/", {}, 422, None),
    ("post", "/api/v1/campaigns/", "{", 400, "Bad Request"),
    ("post", "/api/v1/campaigns/ID/pause/", {}, 409, "Conflict"),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "title"), ERRORS)
def test_each_error_is_a_problem(
    method: str, path: str, body: Any, status: int, title: str | None
) -> None:
    """Of our services, of the framework, and of addresses that no view has."""
    owner, client = user(), Client()
    made = campaign(owner=owner, is_open=False)
    if status != 401:
        client.force_login(owner)
    address = path.replace("ID", made.public_id)
    answer = getattr(client, method)(address, body, content_type="application/json")
    told = answer.json()
    assert answer.status_code == told["status"] == status
    assert answer["Content-Type"] == CONTENT_TYPE
    assert told["type"] == "about:blank"
    assert told["detail"] == told["message"] != ""
    assert told["error"]
    if title:
        assert told["title"] == title
    if status == 422:
        assert set(told["errors"]) >= {"name", "outputs"}


def test_an_error_of_the_description_is_json_too() -> None:
    answer = Client().get("/api/v1/schema/?format=nothing")
    assert answer.status_code == 404
    assert answer["Content-Type"] == CONTENT_TYPE
    assert answer.json()["error"] == "not_found"


def test_a_missing_log_in_still_says_how_to_log_in() -> None:
    assert Client().get("/api/v1/campaigns/")["WWW-Authenticate"] == "Token"


def test_the_page_shows_every_operation_to_anybody(schema: dict[str, Any]) -> None:
    text = Client().get(PAGE).content.decode()
    shown = re.findall(r'<b class="method">(\w+)</b> <code>([^<]+)</code>', text)
    described = [(m.upper(), path) for path, ops in schema["paths"].items() for m in ops]
    assert sorted(shown) == sorted(described)
    assert 'id="campaigns_create"' in text
    assert "Import a campaign as a draft, completely or not at all." in text


def test_fields_are_told_by_place_and_type() -> None:
    groups, errors = api_reference.reference()
    operations = {one.id: one for group in groups.values() for one in group}
    body = {one.name: one for one in operations["campaigns_create"].body}
    assert body["name"].is_required
    assert body["crowd"].kind == "one of “link”, “mturk”, “prolific”"
    assert body["budget"].kind == "string (decimal) or null"
    listed = {one.name for one in operations["imports_list"].answers[0][1]}
    assert {"next", "results", "results[].status"} <= listed
    assert {"rows[].line", "detail"} <= {one.name for one in errors}
