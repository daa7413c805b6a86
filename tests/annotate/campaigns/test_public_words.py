"""The title and the sentence of a campaign: given, neutral, changed; by page, command and API."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from annotate.campaigns import amendments, exports
from annotate.common.text import is_visible
from annotate.instruments import registry
from annotate.models import AuditEntry, Campaign
from annotate.studies import definitions
from tests.annotate.own import asked_rows, helpful
from tests.annotate.researcher import lines
from tests.annotate.work.pages.working import invitation
from tests.browser import answers
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

NEUTRAL = {
    ("language_quality", "en"): "Rate short texts",
    ("language_quality", "de"): "Kurze Texte bewerten",
    ("language_quality", "fr"): "Rate short texts",
    ("answer_correctness", "en"): "Check answers",
    ("answer_correctness", "de-AT"): "Antworten prüfen",
    ("recorded_language_quality", "en"): "Judge texts",
}


@pytest.mark.parametrize(("asked", "expected"), NEUTRAL.items(), ids=str)
def test_without_a_title_there_is_a_neutral_one(asked: tuple[str, str], expected: str) -> None:
    key, language = asked
    assert exports.title("", registry.get(key), language) == expected


def test_an_instrument_of_ones_own_says_what_is_done_and_not_what_it_is_called() -> None:
    made = definitions.define(helpful(label="Our weak rubric"), owner_id=user().pk)
    study = campaign(
        instrument=f"{made.key}@{made.version}",
        rows_=asked_rows(),
        metrics=(),
        targets={"helpful": 0.2},
    )
    page = Client().get(invitation(study)).content.decode()
    assert "<h1>Rate texts</h1>" in page
    assert helpful()["about"] in page
    assert "Our weak rubric" not in page


@pytest.mark.parametrize("key", ["language_quality", "answer_correctness"])
def test_a_sentence_of_ones_own_replaces_the_instruments(client: Client, key: str) -> None:
    changes: dict[str, Any] = {}
    if key == "answer_correctness":
        changes = {
            "instrument": key,
            "rows_": answers.rows(),
            "metrics": (),
            "targets": {"any_correct": 1},
        }
    usual = str(registry.get(key).about)
    assert usual in client.get(invitation(campaign(**changes))).content.decode()
    made = campaign(public_about="You read <b>news</b>.", **changes)
    page = client.get(invitation(made)).content.decode()
    assert usual not in page
    assert '<p class="said">You read &lt;b&gt;news&lt;/b&gt;.</p>' in page


@given(st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_no_text_makes_a_title_that_nobody_can_read(text: str) -> None:
    title = exports.title(text, registry.get("language_quality"), "en")
    assert is_visible(title)
    assert title == " ".join(title.split())


# ---------------------------------------------------------------- changing


def test_an_empty_title_is_the_neutral_one_and_the_same_again_changes_nothing() -> None:
    ada = user()
    made = campaign(owner=ada, public_title="Read news", language="de")
    same = {"public_title": " Read  news ", "public_about": " "}
    assert amendments.change_texts(made.pk, same, actor_id=ada.pk) == {}
    assert not AuditEntry.objects.filter(verb="amend_texts").exists()
    assert amendments.change_texts(made.pk, {"public_title": ""}, actor_id=ada.pk, reason="x")
    made.refresh_from_db()
    assert made.public_title == "Kurze Texte bewerten"


# ---------------------------------------------------------------- creating


def test_the_command_takes_both_and_says_what_is_read(tmp_path: Any) -> None:
    file = tmp_path / "outputs.jsonl"
    file.write_bytes(lines())
    out = StringIO()
    given = ("create_campaign", str(file), "--name", "Secret", "--target", "overall=0.2")
    call_command(*given, "--public-about", "You read news.", stdout=out)
    made = Campaign.objects.get()
    assert (made.public_title, made.public_about) == ("Rate short texts", "You read news.")
    assert "they read    Rate short texts" in out.getvalue()


def test_the_api_gives_takes_and_changes_them() -> None:
    ada, api = user(), APIClient()
    api.force_login(ada)
    outputs = [{"item": "1", "system": "a", "output": "x"}]
    body = {"name": "Secret", "targets": {"overall": 0.2}, "outputs": outputs}
    made = api.post("/api/v1/campaigns/", {**body, "public_title": "News"}, format="json").json()
    assert (made["name"], made["public_title"], made["public_about"]) == ("Secret", "News", "")
    at = f"/api/v1/campaigns/{made['id']}/"
    assert api.patch(at, {"public_about": "You read."}, format="json").json()["public_about"] == (
        "You read."
    )
    changed = api.patch(at, {"public_title": ""}, format="json").json()
    assert (changed["public_title"], changed["public_about"]) == ("Rate short texts", "You read.")
    refused = api.patch(at, {"public_title": "x" * 121}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["public_title"])
    api.force_login(user("eve"))
    assert api.patch(at, {"public_title": "x"}, format="json").status_code == 404
