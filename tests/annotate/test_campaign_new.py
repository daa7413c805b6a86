"""A new campaign from files: shown first, then made; every fault at its place."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotate.models import Campaign, Membership, Output
from estimation.metrics import available
from tests.annotate.researcher import NEW, PLAN, lines, owner_of, send, shown

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def test_preview_stores_nothing_and_counts(ada: Client) -> None:
    answer = send(ada)
    preview = answer.context["preview"]
    assert not Campaign.objects.exists()
    assert (preview.n_items, preview.n_rows, preview.n_outputs, preview.n_shared) == (4, 8, 7, 1)
    assert preview.planned in (8, 9)  # 7 outputs, one of 4 items twice
    bill = preview.most.bill
    assert bill.rewards == preview.planned * Decimal("0.40")
    assert bill.bonuses.reward == preview.planned * Decimal("0.75"), "each by somebody new"
    assert preview.most.amount == bill.rewards + bill.bonuses.reward
    assert [len(system.samples) for system in preview.systems] == [3, 3]


def test_the_second_press_creates_what_was_shown(ada: Client) -> None:
    answer = send(ada, act="create", shown=shown(send(ada)))
    made = Campaign.objects.get()
    assert answer["Location"] == reverse("estimation:dashboard", args=[made.public_id])
    assert made.status == Campaign.Status.DRAFT
    assert made.targets.get().width == 0.2
    assert (made.metrics, made.annotator_cap, made.level) == (["repetition"], 25, 0.95)
    assert made.memberships.get().role == Membership.Role.OWNER


def test_a_crowd_is_chosen_with_its_fee(ada: Client) -> None:
    first = send(ada, crowd="mturk")
    assert first.context["preview"].price == Decimal("0.48")
    send(ada, crowd="mturk", fee="25", act="create", shown=shown(first))
    assert not Campaign.objects.exists()  # another price than was shown
    send(ada, crowd="mturk", act="create", shown=shown(first))
    made = Campaign.objects.get()
    assert (made.crowd, made.fee_rate) == ("mturk", Decimal("0.2"))
    assert send(ada, crowd="nowhere").status_code == 422


def test_by_htmx_the_answer_is_a_fragment_and_then_a_redirect(ada: Client) -> None:
    headers = {"HX-Request": "true"}
    body = {**PLAN, "act": "preview"}
    first = ada.post(NEW, {**body, "outputs": SimpleUploadedFile("o", lines())}, headers=headers)
    assert b"<html" not in first.content
    body |= {"act": "create", "shown": shown(first)}
    then = ada.post(NEW, {**body, "outputs": SimpleUploadedFile("o", lines())}, headers=headers)
    assert then["HX-Redirect"] == reverse(
        "estimation:dashboard", args=[Campaign.objects.get().public_id]
    )


@pytest.mark.parametrize("changed", [{"content": lines(5)}, {"reward": "0.50"}])
def test_a_file_or_plan_that_was_not_shown_is_shown_first(ada: Client, changed: Any) -> None:
    answer = send(ada, **changed, act="create", shown=shown(send(ada)))
    assert answer.context["changed"]
    assert not Campaign.objects.exists()


@pytest.mark.parametrize("forged", ["", "abc", "abc:def:ghi"])
def test_a_forged_digest_creates_nothing(ada: Client, forged: str) -> None:
    assert send(ada, act="create", shown=forged).status_code == 200
    assert not Campaign.objects.exists()


ZEROS = b"0" * 400


GOOD_ROW = b'{"item": "a", "system": "s", "output": "x"}\n'


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        (b"   \n", 0, "The file is empty"),
        (GOOD_ROW + b"nope\n", 2, "not JSON"),
        (GOOD_ROW + b'{"item": "b", "system": "s"}\n', 2, "“output” is missing"),
        (GOOD_ROW + b'{"item": "b", "sytem": "s", "output": "x"}', 2, "Did you mean “system”"),
        (GOOD_ROW + GOOD_ROW, 2, "already has an output"),
        ("{'é'}".encode("utf-16"), 1, "not UTF-8"),
        (GOOD_ROW + b'{"item": "\xe9", "system": "s", "output": "x"}', 2, "not UTF-8"),
        (b'{"item":"a","system":"s","output":"x","metrics":{"m":NaN}}', 1, "NaN is not a number"),
        (b'{"item":"a","system":"s","output":"x","metrics":{"m":1e999}}', 1, "not finite"),
        (b'{"item":"a","system":"s","output":"x","metrics":{"m":1%s}}' % ZEROS, 1, "not finite"),
        (b'{"item":"a","system":"s","output":"\\ud800"}', 1, "half a character"),
        (b"[" * 100_000, 1, "not "),
    ],
)  # fmt: skip
def test_bad_lines_are_told_with_their_number(
    ada: Client, content: bytes, line: int, says: str
) -> None:
    answer = send(ada, content)
    assert answer.status_code == 422
    (error,) = answer.context["problems"].errors
    assert error.line == line
    assert says in error.message
    assert says.split("“")[0] in answer.content.decode()
    assert not Campaign.objects.exists()
    assert not Output.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": " "}, "name"),
        ({"width_overall": ""}, "width_fluency"),
        ({"width_overall": "-1"}, "width_overall"),
        ({"width_overall": "nan"}, "width_overall"),
        ({"reward": "-1"}, "reward"),
        ({"reward": "NaN"}, "reward"),
        ({"budget": "0"}, "budget"),
        ({"level": "100"}, "level"),
        ({"double_share": "101"}, "double_share"),
        ({"annotator_cap": "0"}, "annotator_cap"),
        ({"max_judgments": "0"}, "max_judgments"),
        ({"deadline": "tomorrow"}, "deadline"),
        ({"metric_names": []}, "metric_names"),
        ({"metric_names": ["no such metric"]}, "metric_names"),
        ({"estimand": "everybody"}, "estimand"),
        ({"contact": "not an address"}, "contact"),
    ],
)
def test_bad_fields_are_told_beside_them(ada: Client, fields: Any, field: str) -> None:
    answer = send(ada, **fields)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not Campaign.objects.exists()


def test_an_empty_file_is_told_beside_the_field(ada: Client) -> None:
    answer = send(ada, b"")
    assert answer.status_code == 422
    assert "The file is empty" in answer.context["form"].errors["outputs"][0]


def test_a_metric_that_cannot_be_had_is_told_by_line(ada: Client) -> None:
    assert (
        "no reference"
        in send(ada, metric_names=["rouge_l_f"]).context["problems"].errors[0].message
    )
    own = send(ada, metric_names=[], metric_columns="comet").context["problems"]
    assert "no value of the metric “comet”" in own.errors[0].message


@pytest.mark.parametrize(
    ("fields", "choice", "kept"),
    [
        ({"metric_names": ["length", "repetition"]}, "named", ["length", "repetition"]),
        ({"metric_choice": "none"}, "none", []),
        ({"metric_choice": "auto"}, "auto", [m.name for m in available(has_reference=False)]),
    ],
)
def test_the_preview_names_the_metrics_that_are_kept(
    ada: Client, fields: Any, choice: str, kept: list[str]
) -> None:
    first = send(ada, **fields)
    assert first.context["preview"].metrics == tuple(kept)
    assert (", ".join(kept) or "No metric") in first.content.decode()
    send(ada, **fields, act="create", shown=shown(first))
    assert Campaign.objects.values_list("metric_choice", "metrics").get() == (choice, kept)


def test_metric_values_come_from_a_second_file(ada: Client) -> None:
    values = b"system,item,metric,value\n" + b"".join(
        f"{system},i{i},comet,0.{i}\n".encode() for i in range(4) for system in ("alpha", "beta")
    )
    own = {"metric_names": [], "metric_columns": "comet", "metrics": values}
    first = send(ada, **own)
    assert first.status_code == 200
    send(ada, **own, act="create", shown=shown(first))
    assert Campaign.objects.get().metrics == ["comet"]
    bad = send(ada, **{**own, "metrics": values + b"alpha,i9,comet,1\n"})
    (error,) = bad.context["problems"].errors
    assert (error.line, "no output" in error.message) == (10, True)


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
