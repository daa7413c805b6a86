"""A plan that names experts: what follows from it, what contradicts it, wherever it is sent."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotate.campaigns import creating, imports, planner, plans
from annotate.common.errors import Invalid
from annotate.models import Annotator, Campaign, Expert
from estimation.pages import dashboard
from tests.annotate.panels import NAMES, panel
from tests.annotate.researcher import PLAN, at, begun, created, owner_of
from tests.factories import plan, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

API = "/api/v1/campaigns/"
OUTPUTS = [
    {"item": f"i{i}", "system": name, "output": f"{name} {i}."} for i in (1, 2) for name in "AB"
]
BODY: dict[str, Any] = {"name": "News", "targets": {"overall": 0.2}, "metrics": []}
BODY |= {"outputs": OUTPUTS}
FOLLOWS = {
    "double_share": 1.0,
    "raters": 3,
    "annotator_cap": None,
    "estimand": "panel",
    "crowd": "link",
    "named_experts": True,
}


def api(name: str = "ada") -> APIClient:
    client = APIClient()
    client.force_authenticate(user(name))
    return client


def follows(made: Campaign) -> None:
    assert {name: getattr(made, name) for name in FOLLOWS} == FOLLOWS
    assert tuple(Expert.objects.filter(campaign=made).values_list("name", flat=True)) == NAMES
    assert made.planned == made.slots.count() == 3 * made.planned_outputs
    assert made.planned_twice == made.planned_outputs


def test_names_set_what_follows() -> None:
    made = panel()
    follows(made)
    assert not Annotator.objects.exists(), "nobody has come yet"
    again = plans.plan_of(made)
    assert again.experts == NAMES
    assert plans.check(again)


@pytest.mark.slow
def test_the_form_takes_names_and_shows_them_again(client: Client) -> None:
    client.force_login(user())
    made = created(client, experts=" Ann  Lee\n\nBob Ray\r\nCem Ünal\n")
    follows(made)
    of = begun(client)
    typed = PLAN | {"beyond": "1", "revision": of.revision, "experts": "\n".join(NAMES)}
    assert client.post(at(of, "plan"), typed).status_code == 302
    of.refresh_from_db()
    assert imports.plan_of(of).experts == NAMES
    form = client.get(at(of, "plan")).context["form"]
    assert form["experts"].value() == "\n".join(NAMES)
    assert form["annotator_cap"].value() == 25, "usual again, if the names are taken out"
    assert form["estimand"].value() == "panel"
    typed |= {"revision": of.revision, "experts": ""}
    assert client.post(at(of, "plan"), typed).status_code == 302
    of.refresh_from_db()
    changed = imports.plan_of(of)
    assert (changed.experts, changed.raters, changed.annotator_cap) == ((), 2, 25)


def test_the_api_and_the_client_take_names() -> None:
    answer = api().post(API, BODY | {"experts": list(NAMES)}, format="json")
    assert answer.status_code == 201, answer.json()
    follows(Campaign.objects.get())
    told = answer.json()
    assert {name: told[name] for name in FOLLOWS} == FOLLOWS
    assert "Ann" not in str(told)


def test_the_command_takes_names(tmp_path: Path) -> None:
    def run(*options: str) -> None:
        call_command(
            "create_campaign", str(file), "--name=N", "--target=overall=0.2", *options, stdout=out
        )

    out, file = io.StringIO(), tmp_path / "outputs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in OUTPUTS))
    run(*(f"--expert={name}" for name in NAMES))
    made = Campaign.objects.get()
    follows(made)
    assert f"/campaigns/{made.public_id}/people/" in out.getvalue(), "their links are there"
    assert "/work/join/" not in out.getvalue(), "nobody comes by a link for everybody"
    with pytest.raises(CommandError, match="Name 2 to 10 experts"):
        run("--expert=Ann")


CONTRADICTIONS = {
    "double_share": (0.5, "judge every item"),
    "raters": (5, "as there are experts"),
    "annotator_cap": (40, "leave the cap out"),
    "crowd": ("mturk", "choose the link"),
    "people": (7, "leave their number out"),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_what_contradicts_is_refused_alike(client: Client, name: str) -> None:
    value, words = CONTRADICTIONS[name]
    with pytest.raises(Invalid) as refused:
        plans.check(plan(experts=NAMES, **{name: value}))
    assert words in refused.value.errors[name]
    assert set(refused.value.errors) == {name}
    client.force_login(user())
    answer = api("bob").post(API, BODY | {"experts": list(NAMES), name: value}, format="json")
    assert answer.status_code == 422
    assert words in str(answer.json()["errors"][name])
    of = begun(client)
    step = "people" if name == "crowd" else "plan"
    typed: dict[str, Any] = PLAN | {"beyond": "1", "revision": of.revision}
    typed |= {"experts": "\n".join(NAMES), name: 50 if name == "double_share" else value}
    if step == "people":
        for before in ("questions", "plan"):
            assert client.post(at(of, before), typed | {"crowd": "link"}).status_code == 302
            of.refresh_from_db()
            typed["revision"] = of.revision
    page = client.post(at(of, step), typed)
    assert page.status_code == 422
    assert words in str(page.context["form"].errors[name])


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("Ann",), "Name 2 to 10 experts"),
        (tuple(f"Expert {n}" for n in "abcdefghijk"), "Name 2 to 10 experts"),
        (("Ann Lee", "ann lee"), "the same name"),
        (("Ann", "Ann"), "the same name"),
        (("Ann", "\u200b"), "1 to 80 characters"),
        (("Ann", ""), "1 to 80 characters"),
        (("Ann", "x" * 81), "1 to 80 characters"),
    ],
)
def test_wrong_names_are_refused(names: tuple[str, ...], words: str) -> None:
    with pytest.raises(Invalid) as refused:
        plans.check(plan(experts=names))
    assert words in refused.value.errors["experts"]
    assert "raters" not in refused.value.errors
    answer = api().post(API, BODY | {"experts": list(names)}, format="json")
    assert answer.status_code == 422
    assert "experts" in answer.json()["errors"]


def test_two_to_ten_experts_are_taken() -> None:
    for n in (2, 10):
        names = tuple(f"Expert {chr(97 + k)}" for k in range(n))
        assert panel(names=names, items=2).planned == 2 * n


@pytest.mark.slow
def test_the_plan_is_forecast_for_these_people() -> None:
    names = ("Ann Lee", "Bob Ray", "Cem Ünal", "Dora Mai", "Eli Fox")
    made = panel(names=names, items=40, owner=user(), is_open=False)
    board = dashboard.of_campaign(made)
    assert board.expected is not None
    assert round(board.expected.annotators.expected) == 5
    assert "by 5 people" in board.advice.text


def test_a_deleted_draft_keeps_no_names() -> None:
    ada = user()
    made = panel(owner=ada, is_open=False)
    creating.delete(made.pk, actor_id=ada.pk)
    creating.clear_due()
    assert not Expert.objects.exists()


def test_two_experts_have_a_preview_and_a_draft_without_a_forecast(ada: Client) -> None:
    made = panel(names=("Ann Lee", "Bob Ray"), items=12, owner=owner_of(ada), is_open=False)
    assert planner.of_campaign(made) is None
    assert ada.get(reverse("estimation:dashboard", args=[made.public_id])).status_code == 200
    assert ada.get(reverse("estimation:report", args=[made.public_id])).status_code == 200


def test_the_highest_cost_counts_a_bonus_for_each_expert() -> None:
    named = plan(experts=("Ann Lee", "Bob Ray"), tutorial=True, instrument="language_quality")
    most = plans.at_most(named, 160)
    assert most.bill.bonuses.total == 2 * named.tutorial_bonus
