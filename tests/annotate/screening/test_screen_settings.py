"""The settings of the screens: on a page, by the API and by a command; fixed at opening, logged."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.campaigns import amendments, creating, exports, life
from annotate.common.errors import Conflict, Invalid
from annotate.models import AuditEntry, Campaign, ChangeMark, Protocol, SignalKey
from annotate.review import findings
from annotate.screening.screens import Settings, by_path, groups
from tests.factories import campaign, plan, rows, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

ON = {"signals": {"on": True}}
USUAL = Settings().to_dict()


def now(study: Campaign) -> Settings:
    study.refresh_from_db()
    return Settings.from_dict(study.screening)


def test_every_setting_is_described_once_with_its_range():
    paths = {f"{group}.{name}" for group, values in USUAL.items() for name in values}
    assert set(by_path()) == paths
    for one in by_path().values():
        assert one.kind in (bool, tuple) or one.low <= one.default <= one.high
    assert all(group.about for group in groups())
    assert by_path()["signals.on"].about.startswith("Whether the page counts anything.")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"timing": {"share": 7}}, "timing.share"),
        ({"flags": {"off": ["no_screen"]}}, "flags.off[0]"),
    ],
)
def test_settings_that_cannot_be_right_are_refused(given, told):
    with pytest.raises(Invalid) as refused:
        creating.create(plan(screening=given), rows(), owner_id=None)
    assert told in refused.value.errors["screening"]
    study = campaign(is_open=False)
    with pytest.raises(Invalid) as refused:
        amendments.change(study.pk, given, actor_id=None)
    assert told in refused.value.errors
    assert now(study).to_dict() == USUAL


def test_a_draft_changes_freely_and_opening_fixes_everything():
    study = campaign(is_open=False, screening={"timing": {"share": 0.2}})
    amendments.change(study.pk, {"timing": {"words": 30}, **ON}, actor_id=None)
    assert now(study).to_dict()["timing"] == USUAL["timing"] | {"share": 0.2, "words": 30}
    life.open_(study.pk)
    fixed = now(study).to_dict()
    assert study.screening == fixed  # also what was a default, which a later version may change
    assert Protocol.from_data(study.protocol).screening == fixed
    assert SignalKey.objects.filter(campaign=study).exists()


def test_an_amendment_needs_a_reason_which_the_log_keeps():
    study, ada = campaign(), user()
    ChangeMark.objects.all().delete()
    given = {"timing": {"share": 0.2}}
    with pytest.raises(Invalid, match="Say why"):
        amendments.change(study.pk, given, actor_id=ada.pk, reason="  ")
    assert not AuditEntry.objects.filter(verb="amend_screens").exists()
    amendments.change(study.pk, given, actor_id=ada.pk, reason="Texts are short.")
    (one,) = exports.screens_amended(study.pk)
    assert (one.actor, one.why) == ("ada", "Texts are short.")
    assert one.changes == {"timing.share": (1 / 3, 0.2)}
    study.refresh_from_db()
    assert exports.screens_in_use(study)["timing"]["share"] == 0.2
    assert study.protocol["screening"] == USUAL
    assert ChangeMark.objects.filter(campaign=study).exists()
    assert amendments.change(study.pk, given, actor_id=ada.pk) == {}  # as it was: no entry
    assert AuditEntry.objects.filter(verb="amend_screens").count() == 1


def test_the_screens_look_again_after_an_amendment():
    study = campaign()
    Campaign.objects.filter(pk=study.pk).update(screened="5:5:15")
    amendments.change(study.pk, {"timing": {"share": 0.2}}, actor_id=None, reason="short")
    study.refresh_from_db()
    assert study.screened == ""


def test_signals_can_only_be_switched_off_once_people_may_have_joined():
    study = campaign()
    with pytest.raises(Conflict, match="were not told"):
        amendments.change(study.pk, ON, actor_id=None, reason="late idea")
    told = campaign(screening=ON)
    off = {"signals": {"on": False}}
    amendments.change(told.pk, off, actor_id=None, reason="not wanted")
    assert findings.erase_due() == 1
    assert not SignalKey.objects.exists()


def test_a_closed_campaign_keeps_its_settings():
    study = campaign()
    life.close(study.pk, Campaign.Reason.HAND)
    life.finish(study.pk)
    with pytest.raises(Conflict, match="closed"):
        amendments.change(study.pk, {"timing": {"share": 0.2}}, actor_id=None, reason="x")


def address(study: Campaign) -> str:
    return reverse("annotate:screens", args=[study.public_id])


def typed(study: Campaign, **changes) -> dict:
    fields = {
        f"{group}.{name}": value
        for group, values in now(study).to_dict().items()
        for name, value in values.items()
        if value is not False
    }
    return fields | changes


def test_the_page_shows_and_changes_every_setting(client):
    client.force_login(ada := user())
    study = campaign(owner=ada, is_open=False)
    page = client.get(address(study)).content.decode()
    assert all(f'name="{path}"' in page for path in by_path())
    answer = client.post(address(study), typed(study))
    assert answer.status_code == 302
    assert now(study).to_dict() == USUAL  # a page sent back as it came changes nothing
    assert not AuditEntry.objects.filter(verb="amend_screens").exists()
    changes = {"timing.share": "0.2", "signals.on": "on", "flags.list_only": ["too_fast"]}
    assert client.post(address(study), typed(study, **changes)).status_code == 302
    found = now(study)
    assert found.to_dict()["timing"]["share"] == 0.2
    assert found.signals.on
    assert found.flags.list_only == ("too_fast",)
    refused = client.post(address(study), typed(study, **{"timing.share": "5"}))
    assert refused.status_code == 422
    assert "At most 1." in refused.content.decode()
    life.open_(study.pk)
    late = client.post(address(study), typed(study, **{"timing.share": "0.3"}))
    assert late.status_code == 422
    assert "Say why" in late.content.decode()
    kept = client.post(
        address(study), typed(study, reason="Short texts", **{"timing.share": "0.3"})
    )
    assert kept.status_code == 302
    page = client.get(address(study)).content.decode()
    assert "Short texts" in page
    assert "(timing.share): 0.2 → 0.3" in page


def test_reviewers_see_the_settings_and_others_do_not(client):
    study = campaign(owner=user())
    client.force_login(bob := user("bob"))
    assert client.get(address(study)).status_code == 404
    study.memberships.create(user=bob, role="reviewer")
    page = client.get(address(study))
    assert page.status_code == 200
    assert "Only owners and collaborators" in page.content.decode()
    assert client.post(address(study), typed(study, reason="mine")).status_code in (403, 404)


def test_the_api_shows_and_changes_them(client):
    client.force_login(ada := user())
    study = campaign(owner=ada)
    url = reverse("api-screens", args=[study.public_id])
    assert client.get(url).json()["settings"] == json.loads(json.dumps(USUAL))

    def patch(**body):
        return client.patch(url, json.dumps(body), content_type="application/json")

    assert patch(settings={"timing": {"share": 0.2}}).status_code == 422
    assert patch(settings=ON, reason="late").status_code == 409
    assert patch(settings={"timing": 5}, reason="x").status_code == 422
    answer = patch(settings={"timing": {"share": 0.2}}, reason="short").json()
    assert answer["settings"]["timing"]["share"] == 0.2
    assert answer["at_opening"]["timing"]["share"] == USUAL["timing"]["share"]
    (one,) = answer["amendments"]
    assert (one["why"], one["actor"]) == ("short", "ada")
    assert one["changes"] == {"timing.share": [1 / 3, 0.2]}


def test_the_command_shows_and_changes_them():
    study = campaign()

    def run(*words: str) -> str:
        call_command("screens", study.public_id, *words, stdout=(out := StringIO()))
        return out.getvalue()

    assert json.loads(run()) == json.loads(json.dumps(USUAL))
    with pytest.raises(CommandError, match="Say why"):
        run("--set", "timing.share=0.2")
    said = run("--set", "timing.share=0.2", "--set", 'flags.off=["short_edits"]', "--reason", "x")
    assert "timing.share: 0.3333333333333333 -> 0.2" in said
    assert now(study).flags.off == ("short_edits",)
    for wrong in ("timing=1", "timing.share=x", "timing.share=9"):
        with pytest.raises(CommandError):
            run("--set", wrong, "--reason", "x")


def test_a_plan_by_command_and_by_api_has_settings(client, tmp_path):
    file = tmp_path / "outputs.jsonl"
    file.write_text(
        "\n".join(json.dumps({"item": i, "system": "a", "output": f"t {i}"}) for i in "123")
    )
    words = (
        "--name",
        "N",
        "--target",
        "overall=0.2",
        "--no-tutorial",
        "--screens",
        "signals.on=true",
    )
    call_command("create_campaign", str(file), *words, stdout=StringIO())
    assert Campaign.objects.get().screening == ON
    client.force_login(user())
    body = {"name": "M", "targets": {"overall": 0.2}, "screening": ON}
    body |= {"outputs": [{"item": "1", "system": "a", "output": "text"}]}
    answer = client.post(
        reverse("api-campaign-list"), json.dumps(body), content_type="application/json"
    )
    assert answer.status_code == 201, answer.content
    assert answer.json()["screening"] == ON
    assert Campaign.objects.get(name="M").screening == ON


def test_ranges_are_written_out() -> None:
    """A lay reader is shown no powers of ten."""
    told = [one.within for one in by_path().values()]
    assert "0.00001 to 0.05; default 0.0003." in told
    assert not any("e-" in one or "e+" in one for one in told)
