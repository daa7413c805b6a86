"""Who gets an export, by page, API and command."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotate.campaigns import life
from annotate.common.errors import NotFound
from annotate.models import Campaign, Membership
from annotate.models.base import CloseReason
from estimation import export
from tests.estimation.exporting.exported import Unzipped, owner_of
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def read(answer: Any) -> Unzipped:
    return Unzipped(b"".join(answer.streaming_content))


@pytest.fixture
def addresses(study: Campaign) -> tuple[str, str]:
    return (
        reverse("estimation:export", args=[study.public_id]),
        f"/api/v1/campaigns/{study.public_id}/export/",
    )


@pytest.mark.slow
def test_owners_get_it_by_page_and_api(client: Client, study: Campaign, addresses: Any) -> None:
    client.force_login(owner_of(study))
    for address in addresses:
        answer = client.get(address)
        assert answer["Content-Type"] == "application/zip"
        assert answer["Content-Disposition"] == (
            f'attachment; filename="plumbline-{study.public_id}.zip"'
        )
        assert read(answer).objects("judgments.jsonl")


def test_reviewers_get_it_once_the_campaign_is_closed(
    client: Client, study: Campaign, addresses: Any
) -> None:
    eve = user("eve")
    Membership.objects.create(campaign=study, user=eve, role="reviewer")
    client.force_login(eve)
    for address in addresses:
        assert client.get(address).status_code == 403
    life.close(study.pk, CloseReason.HAND)
    life.finish(study.pk)
    for address in addresses:
        assert client.get(address).status_code == 200


def test_nobody_else_gets_it(client: Client, addresses: Any) -> None:
    page, api = addresses
    assert client.get(page).status_code == 302
    assert client.get(api).status_code == 401
    client.force_login(user("mallory"))
    assert {client.get(address).status_code for address in addresses} == {404}


def test_the_command_writes_one_file(study: Campaign, tmp_path: Path) -> None:
    target, out = tmp_path / "all.zip", io.StringIO()
    call_command("export", study.public_id, to=target, stdout=out)
    assert Unzipped(target.read_bytes()).objects("judgments.jsonl")
    assert "all.zip" in out.getvalue()
    assert [path.name for path in tmp_path.iterdir()] == ["all.zip"]
    with pytest.raises(CommandError, match="exists already"):
        call_command("export", study.public_id, to=target)
    with pytest.raises(CommandError, match="no campaign"):
        call_command("export", "nothing", to=tmp_path / "other.zip")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export", study.public_id, to=tmp_path / "no" / "folder.zip")


def test_an_export_that_breaks_off_leaves_no_file(
    study: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_public_id: str, **_options: Any) -> Iterator[bytes]:
        yield b"PK"
        raise RuntimeError("the database went away")

    monkeypatch.setattr(export, "stream", broken)
    with pytest.raises(RuntimeError):
        call_command("export", study.public_id, to=tmp_path / "all.zip")
    assert list(tmp_path.iterdir()) == []


def test_there_is_nothing_of_a_campaign_that_is_not_there() -> None:
    with pytest.raises(NotFound):
        export.stream("nothing")


def test_it_says_how_far_it_is(study: Campaign) -> None:
    told: list[tuple[str, int, int | None]] = []
    raw = b"".join(export.stream(study.public_id, progress=lambda *far: told.append(far)))
    found = Unzipped(raw)
    n = len(found.objects("judgments.jsonl"))
    assert [far for far in told if far[0] == "judgments.jsonl"][-1] == ("judgments.jsonl", n, n)
    rows = len(found.table("scores.csv"))
    assert [far for far in told if far[0] == "scores.csv"][-1] == ("scores.csv", rows, None)


def test_a_terminal_shows_how_far_it_is(
    study: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    call_command("export", study.public_id, to=tmp_path / "all.zip", stdout=io.StringIO())
    assert "judgments.jsonl" in terminal.getvalue()
