"""`manage.py prolific_events`: subscribed once, repaired where it broke off, then believed."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotate.crowds.prolific.marketplace import (
    EVENT_ID,
    EVENT_TIME,
    EVENTS,
    SIGNATURE,
    TIMESTAMP,
    signature,
)
from annotate.models import CrowdEvent
from tests.crowds.far_side import Fault
from tests.crowds.prolific.far_side import TOKEN, ProlificFarSide, prolific_far_side


@pytest.fixture
def far(settings: Any) -> Iterator[ProlificFarSide]:
    with prolific_far_side() as far_side:
        settings.PROLIFIC_BASE_URL, settings.PROLIFIC_API_TOKEN = far_side.server.url, TOKEN
        settings.PROLIFIC_WEBHOOK_SECRET = ""
        settings.PUBLIC_URL = "https://plumbline.example"
        yield far_side


def run() -> str:
    out = StringIO()
    call_command("prolific_events", stdout=out)
    return out.getvalue()


def enabled(far: ProlificFarSide) -> list[str]:
    return sorted(hook["event_type"] for hook in far.world.hooks.values() if hook["is_enabled"])


def test_both_kinds_of_events_are_subscribed_to_once(far: ProlificFarSide, settings: Any) -> None:
    first = run()
    assert enabled(far) == sorted(EVENTS)
    targets = {hook["target_url"] for hook in far.world.hooks.values()}
    assert targets == {"https://plumbline.example/work/events/prolific/"}
    (secret,) = [row["value"] for row in far.world.secrets]
    assert f"PROLIFIC_WEBHOOK_SECRET={secret}" in first
    assert first.count(": made") == 2

    settings.PROLIFIC_WEBHOOK_SECRET = secret
    again = run()
    assert again.count("there already") == 2
    assert "events are accepted" in again
    assert secret not in again
    assert len(far.world.hooks) == 2


def test_a_secret_that_is_there_is_never_replaced(far: ProlificFarSide, settings: Any) -> None:
    kept = far.world.create_secret({"workspace_id": far.world.workspace})["value"]
    settings.PROLIFIC_WEBHOOK_SECRET = "of-another-workspace"
    said = run()
    assert "is another" in said
    assert [row["value"] for row in far.world.secrets] == [kept]


@pytest.mark.parametrize("call", ["secret", "hook", "confirm"])
def test_what_broke_off_is_repaired_by_running_it_again(far: ProlificFarSide, call: str) -> None:
    far.fail_next(call, Fault.AFTER if call != "confirm" else Fault.BEFORE)
    with pytest.raises(CommandError, match="does not answer"):
        run()
    said = run()
    assert enabled(far) == sorted(EVENTS)
    assert len(far.world.hooks) == 2
    assert len(far.world.secrets) == 1
    assert ("made again" in said) == (call != "secret")


def test_without_a_token_it_says_what_to_set(far: ProlificFarSide, settings: Any) -> None:
    settings.PROLIFIC_API_TOKEN = ""
    with pytest.raises(CommandError, match="PROLIFIC_API_TOKEN"):
        run()


@pytest.mark.orm
@pytest.mark.django_db
def test_what_the_workspace_signs_is_believed(
    far: ProlificFarSide, settings: Any, client: Client
) -> None:
    run()
    settings.PROLIFIC_WEBHOOK_SECRET = far.world.secrets[0]["value"]
    raw, stamp = b'{"event_type": "study.status.change", "resource_id": "x"}', "1800000000"
    signed = signature(settings.PROLIFIC_WEBHOOK_SECRET, stamp, raw)
    headers = {SIGNATURE: signed, TIMESTAMP: stamp, EVENT_TIME: stamp, EVENT_ID: "e1"}
    address = reverse("annotate:crowd-events", args=["prolific"])
    sent = {"content_type": "application/json", "headers": headers}
    assert client.post(address, raw, **sent).status_code == 204
    assert CrowdEvent.objects.get().environment == far.server.url.split("//")[1]
    assert client.post(address, raw + b" ", **sent).status_code == 401
