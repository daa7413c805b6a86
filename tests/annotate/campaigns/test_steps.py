"""The four steps of a new campaign: left and taken up, in two windows, from another campaign."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import imports, reading
from annotate.campaigns import lists as campaigns_lists
from annotate.models import Campaign, CampaignImport, CampaignTotals
from annotate.screening.screens import SCREENS
from annotate.studies import definitions
from tests.annotate.own import helpful
from tests.annotate.researcher import (
    NEW,
    PLAN,
    at,
    begun,
    created,
    lines,
    looked_at,
    owner_of,
    press,
    send,
)
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def bob() -> Client:
    client = Client()
    client.force_login(user("bob"))
    return client


def keep(client: Client, of: CampaignImport, step: str, **fields: Any) -> Any:
    of.refresh_from_db()
    return client.post(at(of, step), {**PLAN, "beyond": "1", "revision": of.revision, **fields})


def plan_of(of: CampaignImport) -> Any:
    of.refresh_from_db()
    return imports.asked_of(of)


def test_a_campaign_is_taken_up_where_it_was_left(ada: Client) -> None:
    of = begun(ada)
    page = reverse("annotate:import", args=[of.public_id])
    for step, after in (("questions", "plan"), ("plan", "people")):
        assert ada.get(page)["Location"] == at(of, step), "what is left comes first"
        assert ada.get(at(of, "next"))["Location"] == at(of, step)
        assert keep(ada, of, step)["Location"] == at(of, after)
    assert keep(ada, of, "people", reward="0.55")["Location"] == page
    assert ada.get(page).context["preview"].price == Decimal("0.55")
    assert not Campaign.objects.exists()


def test_nothing_but_its_own_part_is_changed_by_a_step(ada: Client) -> None:
    of = begun(ada)
    before = plan_of(of)
    keep(ada, of, "people", reward="0.55", budget="20", width_overall="0.9", instrument="x")
    after = plan_of(of)
    assert (str(after.reward), str(after.budget)) == ("0.55", "20")
    assert (after.targets, after.instrument) == (before.targets, before.instrument)


def test_two_windows_do_not_overwrite_each_other(ada: Client) -> None:
    of = begun(ada)
    shown = of.revision
    assert keep(ada, of, "plan", width_overall="0.4").status_code == 302
    typed = {**PLAN, "beyond": "1", "width_overall": "0.5"}
    late = ada.post(at(of, "plan"), {**typed, "revision": shown})
    assert late.status_code == 409
    assert "changed in another window" in late.content.decode()
    assert plan_of(of).targets == {"overall": 0.4}
    assert late.context["form"]["width_overall"].value() == "0.5", "what was typed stands there"
    again = ada.post(at(of, "plan"), {**typed, "revision": late.context["of"].revision})
    assert again.status_code == 302
    assert plan_of(of).targets == {"overall": 0.5}


def test_other_questions_start_with_targets_of_their_own(ada: Client) -> None:
    definitions.define(helpful(), owner_id=owner_of(ada).pk)
    rows = [json.loads(line) | {"input": "Read this."} for line in lines().splitlines()]
    of = begun(ada, "\n".join(map(json.dumps, rows)).encode())
    keep(ada, of, "plan", width_overall="0.4", width_edit="0.3")
    assert keep(ada, of, "questions", instrument="language_quality").status_code == 302
    assert plan_of(of).targets == {"overall": 0.4, "edit": 0.3}, "the same questions keep theirs"
    assert keep(ada, of, "questions", instrument="helpfulness@1").status_code == 302
    names = {field.name for field in ada.get(at(of, "plan")).context["form"].width_fields}
    assert {f"width_{name}" for name in plan_of(of).targets} < names
    assert plan_of(of).targets.keys().isdisjoint({"overall", "edit"})


def test_the_files_own_numbers_are_offered_first(ada: Client) -> None:
    rows = [
        json.loads(line) | {"judge": i / 7, "gap": i or None}
        for i, line in enumerate(lines().splitlines())
    ]
    of = begun(ada, "\n".join(map(json.dumps, rows)).encode())
    form = ada.get(at(of, "questions")).context["form"]
    assert form.own_metrics == ["judge"], "a number that some output lacks is not offered"
    assert [str(box.data["value"]) for box in form.metric_groups[0][1]] == ["repetition"]
    keep(ada, of, "questions", metric_names=[], metric_columns=["judge"])
    assert plan_of(of).metrics == ("judge",)


def test_the_plan_says_what_it_takes_while_it_is_typed(ada: Client) -> None:
    of = begun(ada, lines(60))
    before = plan_of(of)
    address = reverse("annotate:import-takes", args=[of.public_id])
    answer = ada.post(address, {**PLAN, "width_overall": "0.2"})
    (found,) = answer.context["preview"].reach
    assert found.is_refused
    assert found.saved == pytest.approx(1 - 1 / 1.116), "the metric that was chosen"
    assert f'name="use" value="overall={found.found.reachable}"' in answer.content.decode()
    wrong = ada.post(address, {**PLAN, "width_overall": "wide"}).content.decode()
    assert wrong.count("Some numbers of the plan need correcting first") == 2, "and in one line"
    assert plan_of(of) == before, "nothing is stored"


def test_the_nearest_width_is_taken_and_the_step_stays(ada: Client) -> None:
    of = begun(ada, lines(60))
    answer = keep(ada, of, "plan", width_overall="0.2", use="overall=0.45")
    assert answer["Location"] == at(of, "plan")
    assert plan_of(of).targets == {"overall": 0.45}
    keep(ada, of, "plan", width_edit="0.9", use="overall=")
    assert plan_of(of).targets == {"edit": 0.9}
    keep(ada, of, "plan", width_overall="0.3", use="reward=9")
    assert plan_of(of).targets == {"overall": 0.3}


def test_the_first_items_are_shown_as_annotators_will_see_them(ada: Client) -> None:
    long = "word " * 200 + "end-of-the-text"
    rows = [json.loads(line) for line in lines(8).splitlines()]
    rows[0]["output"] = long
    of = begun(ada, "\n".join(map(json.dumps, rows)).encode())
    pages = [
        ada.get(reverse("annotate:import-item", args=[of.public_id, n])).content.decode()
        for n in range(1, 6)
    ]
    assert "end-of-the-text" in pages[0], "whole, not shortened"
    assert "beta 1" in pages[1], "each of another system"
    assert "alpha 2" in pages[2]
    assert not Campaign.objects.exists()
    for number in (0, 6, 10**9):
        assert (
            ada.get(reverse("annotate:import-item", args=[of.public_id, number])).status_code == 404
        )


def test_the_first_items_of_a_file_by_system_have_all_their_texts(ada: Client) -> None:
    rows = [json.loads(line) for line in lines(8).splitlines()]
    rows.sort(key=lambda row: row["system"])
    of = begun(ada, "\n".join(map(json.dumps, rows)).encode())
    kept = keep(ada, of, "questions", instrument="preference", metric_choice="none")
    assert kept.status_code == 302
    page = ada.get(reverse("annotate:import-item", args=[of.public_id, 1])).content.decode()
    assert "alpha 1" in page, "the texts of item 0 are the same"
    assert "beta 1" in page


def test_the_first_items_are_read_by_the_worker_alone(ada: Client, monkeypatch: Any) -> None:
    send(ada)
    of = CampaignImport.objects.get()
    first = reverse("annotate:import-item", args=[of.public_id, 1])
    unread = ada.get(first)
    assert unread.status_code == 404
    assert "once the file has been read" in unread.content.decode()
    imports.run_due()
    monkeypatch.setattr(reading, "recognised", None)
    monkeypatch.setattr(reading, "read", None)
    assert ada.get(first).status_code == 200


ODD = b"text_no;who;says\n1;a;one\n1;b;two\n2;a;three\n2;b;four\n"


def test_columns_with_other_names_are_named(ada: Client) -> None:
    of = begun(ada, ODD)
    assert of.status == "refused"
    named = {"column_item": "text_no", "column_system": "who", "column_output": "says"}
    page = looked_at(ada, ODD, **named)
    assert page.context["preview"].facts.n_items == 2
    assert "Read as you said: “text_no” as item, “who” as system" in page.content.decode()
    kept = page.context["of"].public_id
    form = ada.get(NEW, {"import": kept}).context["form"]
    assert form["column_item"].value() == "text_no"
    press(ada, page)
    imports.run_due()
    assert Campaign.objects.get().items.count() == 2


def test_other_columns_are_read_without_sending_the_file_again(ada: Client) -> None:
    both = b"item,system,output,summary\n1,a,one,uno\n2,a,two,due\n"
    of = begun(ada, both, name="News")
    answer = ada.post(NEW, {**PLAN, "import": of.public_id, "column_output": "summary"})
    assert answer.status_code == 302
    imports.run_due()
    after = CampaignImport.objects.latest("pk")
    samples = imports.facts_of(after).systems[0].samples
    assert [one.output for one in samples] == ["uno", "due"]


@pytest.mark.parametrize(
    "named",
    [
        {"column_item": "who", "column_system": "who"},
        {"column_item": "x" * 201},
        {"column_item": "a\0b"},
    ],
)
def test_columns_that_cannot_be_are_told(ada: Client, named: dict[str, str]) -> None:
    answer = send(ada, ODD, **named)
    assert answer.status_code == 422
    assert not CampaignImport.objects.exists()


def test_a_named_column_that_is_not_there_is_told_by_its_name(ada: Client) -> None:
    of = begun(ada, ODD, column_item="nothing", column_system="who", column_output="says")
    assert "no column “nothing”" in str(imports.refusal_of(of))


def test_a_campaign_like_another_one(ada: Client) -> None:
    first = created(ada, width_overall="0.31", reward="0.61", double_share="40", crowd="mturk")
    form = ada.get(NEW, {"like": first.public_id}).context["form"]
    assert form["name"].value() == "Copy of News"
    of = begun(ada, lines(6), like=first.public_id, name="More news")
    plan = plan_of(of)
    assert (plan.targets, str(plan.reward), plan.double_share) == ({"overall": 0.31}, "0.61", 0.4)
    assert (plan.crowd, plan.metrics, plan.instrument) == (
        "mturk",
        ("repetition",),
        "language_quality",
    )
    assert plan.seed is None, "its items have an order of their own"


def test_a_draft_of_others_is_not_there(ada: Client, bob: Client) -> None:
    of = begun(ada)
    for address in (
        at(of, "plan"),
        at(of, "next"),
        reverse("annotate:import-item", args=[of.public_id, 1]),
    ):
        assert bob.get(address).status_code == 404
    assert bob.post(at(of, "plan"), PLAN).status_code == 404


def test_steps_are_there_while_the_file_is_read(ada: Client) -> None:
    send(ada)
    of = CampaignImport.objects.get()
    assert keep(ada, of, "questions").status_code == 302
    said = ada.post(reverse("annotate:import-takes", args=[of.public_id]), PLAN).content.decode()
    assert "once the file is read" in said
    imports.run_due()
    assert ada.get(reverse("annotate:import", args=[of.public_id]))["Location"] == at(of, "plan")


def test_no_step_changes_a_plan_whose_campaign_is_made(ada: Client) -> None:
    made = created(ada)
    of = CampaignImport.objects.get(campaign=made)
    assert keep(ada, of, "people", reward="9")["Location"] == reverse(
        "annotate:import", args=[of.public_id]
    )
    made.refresh_from_db()
    assert str(made.reward) == "0.40"


def test_days_are_told_at_the_pace_of_an_earlier_campaign(ada: Client) -> None:
    of = begun(ada, lines(60))
    address = reverse("annotate:import-takes", args=[of.public_id])
    typed = {**PLAN, "width_overall": "0.6"}
    assert ada.post(address, typed).context["preview"].days == ""
    closed = timezone.now()
    mine = campaign(owner=owner_of(ada), items=20, name="Winter", double_share=0)
    Campaign.objects.filter(pk=mine.pk).update(
        status="closed", opened_at=closed - timedelta(days=4), closed_at=closed
    )
    assert campaigns_lists.pace(owner_of(ada).pk, "link") is None, "nobody has judged anything"
    CampaignTotals.objects.filter(campaign=mine).update(held=40)  # all 40 judgments came
    pace = campaigns_lists.pace(owner_of(ada).pk, "link")
    assert pace == ("Winter", 10)
    assert campaigns_lists.pace(owner_of(ada).pk, "mturk") is None, (
        "other people come from elsewhere"
    )
    found = ada.post(address, typed)
    goal = found.context["preview"].reach[0].found.goal
    assert goal.days.low == pytest.approx(goal.judgments.low / 10)
    assert goal.days.high == pytest.approx(goal.judgments.high / 10)
    assert "the pace of your campaign “Winter”" in found.content.decode()


def test_screens_change_only_with_their_boxes(ada: Client) -> None:
    """An open campaign stores every setting of its screens; its copy has the same."""
    first = campaign(owner=owner_of(ada), name="Winter", screening={"timing": {"share": 0.4}})
    first.refresh_from_db()
    assert first.screening["flags"]["list_only"] == []
    of = begun(ada, like=first.public_id)
    form = ada.get(at(of, "people")).context["form"]
    assert (form["flags_list_only"].value(), form["signals"].value()) == (False, False)
    keep(ada, of, "people")
    assert plan_of(of).screening == first.screening
    keep(ada, of, "people", flags_list_only="on", signals="on")
    changed = plan_of(of).screening
    assert set(SCREENS) == set(changed["flags"]["list_only"])
    assert changed["signals"] == first.screening["signals"] | {"on": True}
    assert changed["timing"] == first.screening["timing"]
    keep(ada, of, "people")
    assert "list_only" not in plan_of(of).screening["flags"]
    assert plan_of(of).screening["signals"]["on"] is False


@pytest.mark.slow
def test_a_usual_fee_follows_the_crowd_that_is_chosen_for_a_copy(ada: Client) -> None:
    first = created(ada)
    of = begun(ada, lines(6), like=first.public_id)
    assert plan_of(of).fee_rate is None
    keep(ada, of, "people", crowd="mturk")
    assert plan_of(of).fee == Decimal("0.2")
    dear = created(ada, crowd="mturk", fee="40", key="dear")
    assert plan_of(begun(ada, lines(7), like=dear.public_id)).fee == Decimal("0.4")


def test_a_file_that_does_not_fit_is_told_at_the_choice(ada: Client) -> None:
    of = begun(ada)
    choice = reverse("annotate:import-tutorial", args=[of.public_id])
    for instrument, lacks in (("answer_correctness", True), ("language_quality", False)):
        part = ada.get(choice, {"instrument": instrument}).content.decode()
        assert ("does not fit this" in part) == lacks
    refused = keep(ada, of, "questions", instrument="answer_correctness")
    assert refused.status_code == 422
    assert "no question (“input”)" in refused.context["form"].errors["instrument"][0]
    assert plan_of(of).instrument == "language_quality"
    back = keep(ada, of, "questions", instrument="answer_correctness", go="back")
    assert back.status_code == 302, "the file may be what is wrong"
