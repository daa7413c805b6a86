"""Uploads that find no room, or break off: told in words, and nothing is stored."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory
from rest_framework.test import APIClient

from annotate.models import Campaign
from config.requests import Gate
from tests.addresses import DOORS, World
from tests.annotate.researcher import PLAN, lines
from tests.hostile.trying import Tries, address, no_room

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

LARGE = 3_000_000  # more than is kept in memory: it goes through the temporary folder
SAID = "The server has no room for a file of this size at the moment."


def upload() -> SimpleUploadedFile:
    return SimpleUploadedFile("outputs.jsonl", lines() + b"\n" * LARGE)


@pytest.mark.slow
def test_a_full_folder_is_told_on_the_page(world: World) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(world.owner)
    body = PLAN | {"act": "preview"}
    n = Campaign.objects.count()
    with no_room():
        answer = client.post("/campaigns/new/", body | {"outputs": upload()})
    assert answer.status_code == 413
    assert SAID in answer.content.decode()
    assert Campaign.objects.count() == n
    assert client.post("/campaigns/new/", body | {"outputs": upload()}).status_code == 302


@pytest.mark.slow
def test_a_full_folder_is_told_by_the_api(world: World) -> None:
    api = APIClient(raise_request_exception=False)
    api.force_login(world.owner)
    body = {"name": "News", "targets": '{"overall": 0.2}'}
    with no_room():
        answer = api.post("/api/v1/campaigns/", body | {"file": upload()}, format="multipart")
    assert (answer.status_code, answer.json()["error"]) == (413, "no_room")
    assert SAID in answer.json()["message"]
    made = api.post("/api/v1/campaigns/", body | {"file": upload()}, format="multipart")
    assert made.status_code == 202


def test_no_folder_at_all_is_told_as_well(world: World, settings: Any, tmp_path: Path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "gone"
    client = Client(raise_request_exception=False)
    client.force_login(world.owner)
    answer = client.post("/campaigns/new/", PLAN | {"act": "preview", "outputs": upload()})
    assert (answer.status_code, SAID in answer.content.decode()) == (413, True)


@pytest.mark.hostile
def test_what_is_too_large_is_not_read_at_all(tries: Tries, world: World) -> None:
    """Anybody could fill the disk through a page that takes no files."""
    for door in DOORS:
        stream = Unread()
        status = tries.send(
            str(door),
            "generic",
            "POST",
            address(world, door),
            b"",
            CONTENT_TYPE="multipart/form-data; boundary=x",
            CONTENT_LENGTH=str(10**12),
            **{"wsgi.input": stream},
        )
        assert status in (302, 401, 403, 404, 405, 413, 415), (door.name, status)
        assert not stream.was_read, door.name
    assert not tries.unkind, tries.told()


class Unread(io.BytesIO):
    was_read = False

    def read(self, *args: Any) -> bytes:
        self.was_read = True
        return b""


class BrokenOff(io.BytesIO):
    def read(self, *args: Any) -> bytes:
        raise OSError("the client is gone")


@pytest.mark.hostile
def test_a_client_that_goes_away_breaks_nothing(tries: Tries, world: World) -> None:
    for door in DOORS:
        for kind in ("application/json", "application/x-www-form-urlencoded"):
            tries.send(
                f"{door} {kind}",
                "generic",
                "POST",
                address(world, door),
                b"",
                CONTENT_TYPE=kind,
                CONTENT_LENGTH="1000",
                **{"wsgi.input": BrokenOff()},
            )
    assert not tries.unkind, tries.told()


def test_odd_cookies_are_dropped_and_others_kept() -> None:
    seen: list[dict[str, str]] = []
    gate = Gate(lambda request: seen.append(dict(request.COOKIES)))  # type: ignore[arg-type]
    raw = 'sessionid="\\000abcdefgh"; csrftoken=abc; other="a\\012b"'
    gate(RequestFactory().get("/", HTTP_COOKIE=raw))
    assert seen == [{"csrftoken": "abc"}]


def test_somebody_with_a_broken_cookie_can_log_in(world: World) -> None:
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "x\0y" * 5
    given = {"username": "ada", "password": "long enough to be fine"}
    assert client.post("/login/", given).status_code == 302
