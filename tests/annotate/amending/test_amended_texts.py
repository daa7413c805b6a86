"""What annotators read is changed later: by page, API and command; with a reason that is kept."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotate.campaigns import amendments, exports, life
from annotate.common.errors import Conflict, Invalid
from annotate.models import AuditEntry, Campaign, CampaignTexts, Membership
from annotate.studies import queries as studies_queries
from annotate.studies.queries import StudyTexts
from estimation.pages import dashboard
from tests.annotate.work.storms import at_once
from tests.factories import campaign, change, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

TEXTS = StudyTexts("You may stop.", "ERB 2026/17", "Judge as an editor.")


def study(**changes: Any) -> Campaign:
    return campaign(**{"texts": TEXTS, "public_title": "Read news", **changes})


def at(made: Campaign) -> str:
    return reverse("annotate:texts", args=[made.public_id])


def amend(made: Campaign, **texts: str) -> amendments.Changes:
    return amendments.change_texts(made.pk, texts, actor_id=None, reason="Shorter.")


def fresh(made: Campaign) -> Campaign:
    return Campaign.objects.get(pk=made.pk)


def now(made: Campaign) -> studies_queries.ReadTexts:
    return studies_queries.amended_texts_of(fresh(made))


# ---------------------------------------------------------------- the service


def test_an_amendment_needs_a_reason_and_is_kept_with_both_texts() -> None:
    ada = user()
    made = study(owner=ada)
    given = {"consent": "You may stop at any time.", "contact": "ada@example.org"}
    with pytest.raises(Invalid, match="Say why"):
        amendments.change_texts(made.pk, given, actor_id=ada.pk, reason=" \n")
    assert not AuditEntry.objects.filter(verb="amend_texts").exists()
    changed = amendments.change_texts(made.pk, given, actor_id=ada.pk, reason="The board asked.")
    assert changed == {
        "contact": ("", "ada@example.org"),
        "consent": ("You may stop.", "You may stop at any time."),
    }
    (one,) = studies_queries.amended(made.pk)
    assert (one.actor, one.why, dict(one.changes)) == ("ada", "The board asked.", changed)
    assert now(made).consent == "You may stop at any time."
    assert fresh(made).contact == "ada@example.org"
    (line, *_) = dashboard.lines(made.pk)
    assert line.text == "changed what annotators read: consent, contact"


def test_a_draft_changes_freely_and_that_is_no_amendment() -> None:
    made = study(is_open=False)
    assert amendments.change_texts(made.pk, {"consent": ""}, actor_id=None)
    assert now(made).consent == ""
    life.open_(made.pk)
    assert studies_queries.amended(made.pk) == ()
    assert [one.text for one in studies_queries.consents(fresh(made))] == [""]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"public_title": "x" * 121}, "public_title"),
        ({"public_about": "x" * 601}, "public_about"),
        ({"contact": "nobody"}, "contact"),
        ({"instructions": "x" * 10_001}, "instructions"),
        ({"consent": "a\0b"}, "consent"),
        ({"consent": " "}, "consent"),
    ],
    ids=str,
)
def test_other_texts_are_refused(given: dict[str, str], field: str) -> None:
    made = study()
    before = now(made)
    with pytest.raises(Invalid) as refused:
        amend(made, **given)
    assert field in refused.value.errors
    assert now(made) == before
    assert not AuditEntry.objects.filter(verb="amend_texts").exists()


@pytest.mark.parametrize("status", ["closed", "archived"])
def test_after_closing_the_contact_changes_and_the_consent_does_not(status: str) -> None:
    made = study()
    change(made, status=status)
    for given in ({"consent": "Other."}, {"instructions": "Other."}):
        with pytest.raises(Conflict, match="closed"):
            amend(made, **given)
    assert amend(made, contact="ada@example.org", public_title="News")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_of_many_windows_at_once_one_changes_the_texts() -> None:
    made = study()
    seen = now(made).revision

    def press(n: int) -> str:
        try:
            given = {"consent": f"Text {n}."}
            amendments.change_texts(made.pk, given, actor_id=None, reason="x", seen=seen)
        except Conflict:
            return "told"
        return "changed"

    outcomes = at_once([lambda n=n: press(n) for n in range(8)])
    assert sorted(outcomes) == ["changed"] + 7 * ["told"]
    assert CampaignTexts.objects.get().consent_version == 2
    assert len(studies_queries.amended(made.pk)) == 1


# ---------------------------------------------------------------- the page


def sent(made: Campaign, **changes: str) -> dict[str, str]:
    """What the form of the page sends."""
    found = studies_queries.amended_texts_of(made)
    return {
        "public_title": found.public_title,
        "public_about": found.public_about,
        "contact": found.contact,
        "instructions": found.instructions.replace("\n", "\r\n"),
        "consent": found.consent.replace("\n", "\r\n"),
        "revision": found.revision,
        **changes,
    }


def test_the_page_shows_and_amends(client: Client) -> None:
    client.force_login(ada := user())
    made = study(owner=ada)
    page = client.get(at(made)).content.decode()
    for expected in ("Read news", "You may stop.", "Judge as an editor.", "asks for a reason"):
        assert expected in page
    assert client.post(at(made), sent(made)).status_code == 302, "sent as it came: no change"
    late = client.post(at(made), sent(made, consent="Stop when you like."))
    assert late.status_code == 422
    assert "Say why" in late.content.decode()
    told = client.post(
        at(made), sent(made, consent="Stop when you like.", reason="Plainer."), follow=True
    ).content.decode()
    assert "Everybody is asked to accept the new consent text before their next task" in told
    for expected in ("Plainer.", "You may stop.", "Stop when you like.", "The text until"):
        assert expected in told


def test_a_second_window_is_told_and_keeps_what_was_typed(client: Client) -> None:
    client.force_login(ada := user())
    made = study(owner=ada)
    first, second = sent(made, consent="First.", reason="x"), sent(made, contact="a@example.org")
    assert client.post(at(made), first).status_code == 302
    late = client.post(at(made), {**second, "reason": "y"})
    text = late.content.decode()
    assert late.status_code == 409
    assert "changed in another window" in text
    assert "First." in text, "what the other window wrote"
    assert 'value="a@example.org"' in text, "what was typed here"
    assert fresh(made).contact == ""
    again = {**second, "reason": "y", "revision": late.context["form"]["revision"].value()}
    assert client.post(at(made), again).status_code == 302
    assert fresh(made).contact == "a@example.org"


@pytest.mark.parametrize("forged", ["", "abc", "x" * 65])
def test_without_the_revision_nothing_is_changed(client: Client, forged: str) -> None:
    client.force_login(ada := user())
    made = study(owner=ada)
    body = sent(made, contact="a@example.org", reason="x", revision=forged)
    assert client.post(at(made), body).status_code in (409, 422)
    assert fresh(made).contact == ""


def test_a_closed_campaign_shows_what_cannot_be_changed(client: Client) -> None:
    client.force_login(ada := user())
    made = study(owner=ada)
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)
    form = client.get(at(made)).context["form"]
    assert (form["consent"].field.disabled, form["contact"].field.disabled) == (True, False)
    body = sent(made, consent="Other.", contact="a@example.org", reason="x")
    assert client.post(at(made), body).status_code == 302
    assert (now(made).consent, now(made).contact) == (TEXTS.consent, "a@example.org")


@pytest.mark.parametrize(
    ("role", "status"), [("collaborator", 302), ("reviewer", 403), ("viewer", 403)]
)
def test_who_runs_it_changes_it_and_members_read_it(client: Client, role: str, status: int) -> None:
    made = study(owner=user())
    client.force_login(bob := user("bob"))
    assert client.get(at(made)).status_code == 404
    Membership.objects.create(campaign=made, user=bob, role=role)
    page = client.get(at(made)).content.decode()
    assert "You may stop." in page
    assert ('name="consent"' in page) is (status == 302)
    body = sent(made, contact="bob@example.org", reason="x")
    assert client.post(at(made), body).status_code == status


# ---------------------------------------------------------------- API, command, report, export


def test_the_api_shows_and_amends(client: Client) -> None:
    client.force_login(ada := user())
    made = study(owner=ada)
    url = reverse("api-texts", args=[made.public_id])

    def patch(**body: str) -> Any:
        return client.patch(url, json.dumps(body), content_type="application/json")

    before = client.get(url).json()
    assert (before["consent"], before["amendments"]) == ("You may stop.", [])
    assert patch(consent="Other.").status_code == 422
    assert patch(contact="nobody", reason="x").status_code == 422
    after = patch(consent="Other.", reason="Plainer.", revision=before["revision"]).json()
    assert (after["consent"], after["instructions"]) == ("Other.", "Judge as an editor.")
    (one,) = after["amendments"]
    assert (one["why"], one["actor"]) == ("Plainer.", "ada")
    assert one["changes"] == {"consent": ["You may stop.", "Other."]}
    assert [(v["number"], v["text"], v["people"]) for v in after["consents"]] == [
        (2, "Other.", 0),
        (1, "You may stop.", 0),
    ]
    stale = patch(contact="ada@example.org", reason="x", revision=before["revision"])
    assert (stale.status_code, stale.json()["error"]) == (409, "stale")


def test_the_command_shows_and_amends(tmp_path: Path) -> None:
    made = study()
    file = tmp_path / "consent.txt"
    file.write_text("Other.\n", encoding="utf-8")

    def run(*words: str) -> str:
        call_command("texts", made.public_id, *words, stdout=(out := StringIO()))
        return out.getvalue()

    assert json.loads(run())["consent"] == "You may stop."
    with pytest.raises(CommandError, match="Say why"):
        run(f"--consent=@{file}")
    assert run(f"--consent=@{file}", "--reason=Plainer.") == "Changed: consent.\n"
    assert now(made).consent == "Other."
    assert run("--consent=Other.") == "Nothing was changed.\n"
    with pytest.raises(CommandError, match="no campaign"):
        call_command("texts", "zzz")


def test_the_report_and_the_export_tell_every_version(client: Client) -> None:
    client.force_login(ada := user())
    made = study(owner=ada)
    amend(made, consent="Other.", instructions="Judge as a reader.", public_title="News")
    report = reverse("estimation:report", args=[made.public_id])
    text = client.get(report).content.decode()
    for expected in (
        "You may stop.",
        "Other.",
        "Judge as an editor.",
        "Judge as a reader.",
        "public_title from Read news to News",
        "consent, whose earlier text is printed above",
        "Shorter.",
        "1 change of what annotators read, listed under",
        "The consent text was amended",
    ):
        assert expected in text
    assert "Consent, which everybody accepted" not in text
    told = client.get(reverse("api-report", args=[made.public_id])).json()
    assert told["amendments"][0]["changes"]["consent"] == ["You may stop.", "Other."]
    plan = exports.protocol(fresh(made))
    assert (plan["texts"]["consent"], plan["consent_version"]) == ("Other.", 2)
    assert plan["text_amendments"][0]["changes"]["consent"] == ("You may stop.", "Other.")
    assert "actor" not in plan["text_amendments"][0]
