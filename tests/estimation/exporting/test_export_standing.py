"""How far a download of an export is, told to the page that started it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from redis import RedisError

from annotate.models import Campaign, Membership
from estimation import export
from estimation.export import DownloadProgress, FollowedDownload
from tests.estimation.exporting.exported import Unzipped, owner_of
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

TOKEN = "0123456789abcdef" * 2
NAME = export.name_of(1, 2, TOKEN)


@pytest.fixture(autouse=True)
def _at_every_part(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(export, "EVERY", 0.0)
    yield
    caches["shared"].clear()


def addresses(study: Campaign) -> tuple[str, str]:
    names = ("estimation:export", "estimation:export-standing")
    one, other = (reverse(name, args=[study.public_id]) for name in names)
    return f"{one}?of={TOKEN}", f"{other}?of={TOKEN}"


def test_it_goes_from_nothing_to_everything(study: Campaign) -> None:
    followed, seen = FollowedDownload(NAME), []
    assert export.find_progress(NAME) is None
    parts = export.stream(study.public_id, progress=followed.progress)
    raw = b""
    for part in followed.over(parts):
        raw += part
        seen.append(export.find_progress(NAME))
    end = export.find_progress(NAME)
    n = len(Unzipped(raw).objects("judgments.jsonl")) + len(Unzipped(raw).objects("outputs.jsonl"))
    assert seen[0] == DownloadProgress("running", 0, n, size=len(raw[: seen[0].size]))
    assert end == DownloadProgress("complete", n, n, size=len(raw))
    assert [one.share for one in seen] == sorted(one.share for one in seen)


def test_who_leaves_before_the_end_has_stopped_it(study: Campaign) -> None:
    followed = FollowedDownload(NAME)
    parts = followed.over(export.stream(study.public_id, progress=followed.progress))
    next(parts)
    parts.close()
    found = export.find_progress(NAME)
    assert found is not None
    assert found.state == "stopped"


def test_an_error_has_stopped_it() -> None:
    def broken() -> Iterator[bytes]:
        yield b"PK"
        raise RuntimeError("the database went away")

    with pytest.raises(RuntimeError):
        list(FollowedDownload(NAME).over(broken()))
    assert export.find_progress(NAME) == DownloadProgress("stopped", size=2)


def test_a_download_does_not_wait_for_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object, **_options: object) -> None:
        raise RedisError("away")

    for act in ("get", "set"):
        monkeypatch.setattr(type(caches["shared"]), act, away)
    assert list(FollowedDownload(NAME).over(iter([b"P", b"K"]))) == [b"P", b"K"]
    assert export.find_progress(NAME) is None


@pytest.mark.parametrize("token", ["", "x", TOKEN.upper(), TOKEN + "\n", TOKEN + "0"])
def test_a_name_that_no_page_makes_names_nothing(token: str) -> None:
    assert export.name_of(1, 2, token) == ""
    assert export.find_progress("") is None


def test_the_page_shows_it(client: Client, study: Campaign) -> None:
    download, page = addresses(study)
    client.force_login(owner_of(study))
    awaited = client.get(page).content.decode()
    assert "hx-get" in awaited
    assert "asked=1" in awaited
    answer: Any = client.get(download)
    parts = iter(answer.streaming_content)
    next(parts)
    running = client.get(page).content.decode()
    assert "The export is being made: 0\N{NO-BREAK SPACE}%" in running
    assert "hx-get" in running
    list(parts)
    complete = client.get(page).content.decode()
    assert "The export is complete" in complete
    assert "hx-get" not in complete


def test_the_page_does_not_ask_for_ever(client: Client, study: Campaign) -> None:
    client.force_login(owner_of(study))
    _download, page = addresses(study)
    assert "hx-get" not in client.get(f"{page}&asked=19").content.decode()
    assert "hx-get" in client.get(f"{page}&asked=nonsense").content.decode()


def test_it_is_the_own_download(client: Client, study: Campaign) -> None:
    download, page = addresses(study)
    client.force_login(owner_of(study))
    answer: Any = client.get(download)
    list(answer.streaming_content)
    other = user("mallory")
    client.force_login(other)
    assert client.get(page).status_code == 404
    Membership.objects.create(campaign=study, user=other, role="viewer")
    assert "complete" not in client.get(page).content.decode()
