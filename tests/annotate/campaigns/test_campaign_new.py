"""A new campaign from files: shown first, then made; every fault at its place."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from annotate.campaigns import imports
from annotate.campaigns.plans import Plan
from annotate.campaigns.wizard_forms import FileStep, PeopleStep, PlanStep, QuestionsStep, StepForm
from annotate.models import Campaign, CampaignImport, ImportChunk, Membership, Output
from tests.annotate.researcher import (
    NEW,
    NO_FILE,
    PLAN,
    lines,
    looked_at,
    owner_of,
    press,
    send,
    tried,
    walked,
)

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.mark.slow
def test_the_preview_counts_and_no_campaign_exists_yet(ada: Client) -> None:
    preview = looked_at(ada).context["preview"]
    assert not Campaign.objects.exists()
    facts = preview.facts
    assert (facts.n_items, facts.n_rows, facts.n_outputs, preview.n_shared) == (4, 8, 7, 1)
    assert preview.planned in (8, 9)  # 7 outputs, one of 4 items twice
    bill = preview.most.bill
    assert bill.rewards == preview.planned * Decimal("0.40")
    assert bill.bonuses.reward == preview.planned * Decimal("0.75"), "each by somebody new"
    assert preview.most.amount == bill.rewards + bill.bonuses.reward
    assert [len(system.samples) for system in facts.systems] == [3, 3]


def test_a_press_creates_what_was_shown(ada: Client) -> None:
    page = looked_at(ada)
    press(ada, page)
    assert not Campaign.objects.exists()  # a worker makes it
    imports.run_due()
    made = Campaign.objects.get()
    assert made.status == Campaign.Status.DRAFT
    assert made.targets.get().width == 0.2
    assert (made.metrics, made.annotator_cap, made.level) == (["repetition"], 25, 0.95)
    assert made.memberships.get().role == Membership.Role.OWNER
    address = reverse("estimation:dashboard", args=[made.public_id])
    assert ada.get(page.request["PATH_INFO"])["Location"] == address
    assert ada.get(f"{page.request['PATH_INFO']}now/")["HX-Redirect"] == address


def test_by_htmx_errors_are_a_fragment_and_success_is_a_redirect(ada: Client) -> None:
    headers = {"HX-Request": "true"}
    bad = ada.post(NEW, {**PLAN, "name": ""}, headers=headers)
    assert b"<html" not in bad.content
    file = SimpleUploadedFile("o", lines())
    answer = ada.post(NEW, {**PLAN, "outputs": file}, headers=headers)
    made = CampaignImport.objects.get()
    assert answer["HX-Redirect"] == f"/campaigns/imports/{made.public_id}/next/"


def test_three_presses_make_one_campaign(ada: Client) -> None:
    form = ada.get(NEW).context["form"]
    addresses = {send(ada, key=form["key"].value())["Location"] for _press in range(3)}
    assert len(addresses) == CampaignImport.objects.count() == 1
    imports.run_due()
    page = ada.get(walked(ada)["Location"])
    for _press in range(3):
        press(ada, page)
        imports.run_due()
    assert Campaign.objects.count() == 1
    assert Campaign.objects.get().outputs.count() == 7


# --- the plan is changed, the file stays


def change(ada: Client, page: Any, **fields: Any) -> Any:
    return looked_at(ada, NO_FILE, **{"import": page.context["of"].public_id}, **fields)


def test_a_plan_that_has_changed_since_it_was_shown_is_shown_again(ada: Client) -> None:
    page = looked_at(ada)
    change(ada, page, reward="0.50")
    told = ada.post(page.request["PATH_INFO"], {"act": "create", "revision": 0}, follow=True)
    assert "has been changed since it was shown" in told.content.decode()
    imports.run_due()
    assert not Campaign.objects.exists()


@pytest.mark.parametrize("status", ["reading", "ready", "creating", "failed"])
def test_no_draft_is_discarded_by_one_press(ada: Client, status: str) -> None:
    """The button is in a part of the page that has to be opened first, and never refreshes."""
    page = looked_at(ada)
    CampaignImport.objects.update(status=status)
    text = ada.get(page.request["PATH_INFO"]).content.decode()
    assert text.count('value="cancel"') == 1
    _before, part = text.split("<details><summary>Discard this draft</summary>")
    assert 'value="cancel">Discard this draft and its file' in part.split("</details>")[0]
    assert 'id="import"' in _before


def test_each_file_is_replaced_alone_and_the_metrics_can_be_left_out(ada: Client) -> None:
    values = b"system,item,metric,value\n" + b"".join(
        f"{system},i{i},comet,0.{i}\n".encode() for i in range(4) for system in ("alpha", "beta")
    )
    own = {"metric_names": [], "metric_columns": "comet"}
    page = looked_at(ada, metrics=values, **own)
    again = change(ada, page, metrics=values.replace(b"0.1", b"0.7"), **own)
    assert again.context["preview"].metrics == ("comet",)
    of = {"import": again.context["of"].public_id}
    without = tried(ada, NO_FILE, **of, drop_metrics="on", **own)
    (told,) = without.context["form"].errors["metric_names"]
    assert "has no value of the metric “comet”" in told


OWN = ["comet", 'a "b", c', "länge"]
PLANS = st.builds(
    dict,
    name=st.text("abc ü", min_size=1).filter(str.strip),
    width_overall=st.sampled_from(["0.2", "1.25", ""]),
    width_edit=st.sampled_from(["0.11"]),
    metric_names=st.lists(st.sampled_from(["repetition", "length", "bleu"]), unique=True),
    metric_columns=st.lists(st.sampled_from(OWN), unique=True),
    metric_choice=st.sampled_from(["named", "auto", "none"]),
    tutorial=st.sampled_from(["built-in", "none"]),
    language=st.sampled_from(["en", "de", "pt-BR"]),
    instrument=st.sampled_from(["language_quality", "answer_correctness"]),
    width_any_correct=st.sampled_from(["0.1", ""]),
    margin_any_correct=st.sampled_from(["0.1", ""]),
    crowd=st.sampled_from(["link", "mturk", "prolific"]),
    flags_list_only=st.sampled_from(["", "on"]),
    signals=st.sampled_from(["", "on"]),
    fee=st.sampled_from(["", "12.5", "0"]),
    budget=st.sampled_from(["", "12.34"]),
    max_judgments=st.sampled_from(["", "7"]),
    deadline=st.sampled_from(["", "2030-01-02T03:04"]),
    double_share=st.decimals(0, 100, places=1).map(str),
    level=st.decimals("50.1", "99.9", places=1).map(str),
    estimand=st.sampled_from(["population", "panel"]),
    stop_mode=st.sampled_from(["precision", "anytime", "ranking"]),
    margin_overall=st.sampled_from(["0.2", "", "no number"]),
    margin_edit=st.sampled_from(["0.11", ""]),
    planned_items=st.sampled_from(["", "150"]),
    gold_share=st.sampled_from(["", "0", "5", "12"]),
    contact=st.sampled_from(["", "ada@example.org"]),
)


STEPS: tuple[type[StepForm], ...] = (FileStep, QuestionsStep, PlanStep, PeopleStep)
AS_SENT: dict[Any, dict[str, Any]] = {FileStep: {"has_file": True}}


@given(PLANS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@pytest.mark.slow
def test_the_steps_show_the_plan_that_they_were_sent_with(
    db: None, changes: dict[str, Any]
) -> None:
    """Each step shows its part of a plan so that sending it again changes nothing."""
    plan = Plan(name="", targets={}, metrics=tuple(OWN))
    for step in STEPS:
        sent = step(PLAN | changes, plan=plan, **AS_SENT.get(step, {}))
        assume(sent.is_valid())
        plan = sent.plan()
    for step in STEPS:
        shown = step(plan=plan, **AS_SENT.get(step, {}))
        values = {field.name: field.value() for field in shown if field.value() is not None}
        again = step(values, plan=plan, **AS_SENT.get(step, {}))
        assert again.is_valid(), again.errors
        assert again.plan() == plan
    assert imports._PLAN.validate_python(json.loads(json.dumps(imports.as_json(plan)))) == plan


GOOD_ROW = b'{"item": "a", "system": "s", "output": "x"}\n'


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        (b"PK\x03\x04", 0, "spreadsheet cannot be read"),
        (GOOD_ROW + b'{"item": "b", "sytem": "s", "output": "x"}', 2, "Did you mean “sytem”"),
    ],
)
def test_bad_lines_are_told_with_their_number(
    ada: Client, content: bytes, line: int, says: str
) -> None:
    page = looked_at(ada, content)
    (error,) = page.context["refusal"].errors
    assert error.line == line
    assert says in error.message
    assert says.split("“")[0] in page.content.decode()
    assert press(ada, page).status_code == 302
    imports.run_due()
    assert not Campaign.objects.exists()
    assert not Output.objects.exists()
    assert not ImportChunk.objects.exists()


@pytest.mark.slow
def test_a_refused_file_is_replaced_and_the_plan_is_still_there(ada: Client) -> None:
    page = looked_at(ada, GOOD_ROW + b"nope\n", reward="0.77")
    before = page.context["of"].public_id
    form = ada.get(NEW, {"import": before})
    assert b"is here already" not in form.content
    assert send(ada, NO_FILE, **{"import": before}).status_code == 422
    assert send(ada, **{"import": before}).status_code == 302
    imports.run_due()
    after = ada.get(f"/campaigns/imports/{CampaignImport.objects.latest('pk').public_id}/")
    assert after.context["preview"].price == Decimal("0.77")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": " "}, "name"),
        ({"width_overall": ""}, "width_fluency"),
        ({"width_overall": "nan"}, "width_overall"),
        ({"reward": "NaN"}, "reward"),
        ({"deadline": "tomorrow"}, "deadline"),
        ({"metric_names": []}, "metric_names"),
        ({"contact": "not an address"}, "contact"),
    ],
)
def test_bad_fields_are_told_beside_them(ada: Client, fields: Any, field: str) -> None:
    answer = tried(ada, **fields)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not Campaign.objects.exists()


def test_a_metric_that_cannot_be_had_is_told_and_no_campaign_can_be_made(ada: Client) -> None:
    told = tried(ada, metric_names=["rouge_l_f"]).context["form"].errors["metric_names"]
    assert told == ["lines 1, 2, 3 and 5 more: no reference, which rouge_l_f needs."]
    imports.run_due()
    assert not Campaign.objects.exists()
    own = tried(ada, metric_names=[], metric_columns="comet")
    assert "“comet” is not one of the choices." in str(own.context["form"].errors)


def with_comet() -> bytes:
    rows = [json.loads(line) for line in lines().splitlines()]
    for i, row in enumerate(rows):
        row |= {"metrics": {"comet": i / 10}, "year": 2000 + 3 * i, "length": i}
    return "\n".join(map(json.dumps, rows)).encode()


def test_metrics_of_the_file_that_the_plan_does_not_use_are_offered(ada: Client) -> None:
    page = looked_at(ada, with_comet())
    assert page.context["preview"].offers == ("comet", "year")
    press(ada, page, "use", metric="comet")
    then = ada.get(page.request["PATH_INFO"])
    assert then.context["preview"].metrics == ("repetition", "comet")
    assert then.context["preview"].offers == ("year",)
    press(ada, then, "use", metric="year")
    press(ada, then, "use", metric="no such metric")
    press(ada, ada.get(page.request["PATH_INFO"]))
    imports.run_due()
    made = Campaign.objects.get()
    assert made.metrics == ["repetition", "comet", "year"]
    given = made.outputs.order_by("pk").first().given_metrics
    assert set(given) == {"comet", "year"}


# --- limits and doors


def test_too_large_is_refused_before_reading(ada: Client, settings: Any) -> None:
    settings.UPLOAD_LIMIT = 1000
    huge = ada.post(NEW, data=b"x", content_type="multipart/form-data", CONTENT_LENGTH="99999999")
    counted = send(ada, GOOD_ROW * 100)
    for answer in (huge, counted):
        assert answer.status_code == 413
        assert "create_campaign" in answer.content.decode()


def test_the_form_is_protected_against_other_sites(ada: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner_of(ada))
    assert send(strict).status_code == 403
