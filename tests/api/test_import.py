"""Importing a campaign through the API: whole, or not at all, errors with their lines."""

import io
import json

import pytest

from annotate.models import Campaign, Membership

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

CAMPAIGNS = "/api/v1/campaigns/"
ROWS = [
    {"item": item, "system": system, "output": f"{system} wrote {item}."}
    for item in ("1", "2")
    for system in ("alpha", "beta")
]
PLAN = {"name": "News", "targets": {"overall": 0.2}}


def upload(text: str, name: str = "outputs.jsonl") -> io.BytesIO:
    file = io.BytesIO(text.encode())
    file.name = name
    return file


def post(api, **given):
    return api.post(CAMPAIGNS, PLAN | {"outputs": ROWS} | given, format="json")


def post_file(api, text, **given):
    fields = {**PLAN, "targets": json.dumps(PLAN["targets"]), "file": upload(text), **given}
    return api.post(CAMPAIGNS, fields, format="multipart")


LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def test_rows_as_json_make_a_draft_of_ones_own(api, ada):
    answer = post(api, reward="0.55", budget="20", annotator_cap=None, seed=3)
    assert answer.status_code == 201
    made = Campaign.objects.get(public_id=answer.json()["id"])
    assert answer.json()["status"] == "draft"
    assert (str(made.reward), str(made.budget), made.annotator_cap) == ("0.55", "20.00", None)
    assert made.outputs.count() == 4
    assert Membership.objects.get(campaign=made).user == ada


def test_texts_have_the_form_that_was_chosen(api):
    chosen = {"output_form": "last_turn", "input_form": "markdown", "shows_input": True}
    chosen["shows_reference"] = True
    answer = post(api, **chosen)
    assert {name: answer.json()[name] for name in chosen} == chosen
    marked = post(api, outputs=[{**row, "output": "**x**"} for row in ROWS]).json()
    assert (marked["output_form"], marked["shows_input"]) == ("markdown", False)
    assert marked["shows_reference"] is False
    assert marked["notices"][0].startswith("The outputs look like Markdown")
    assert post(api, input_form="last_turn").status_code == 422


def test_files_make_the_same_campaign(api):
    metrics = upload(
        "system,item,metric,value\n"
        + "".join(f"{row['system']},{row['item']},comet,0.5\n" for row in ROWS),
        "metrics.csv",
    )
    answer = post_file(
        api, LINES, metrics_file=metrics, metrics="comet", deadline="2030-01-01T00:00Z"
    )
    assert answer.status_code == 201, answer.content
    made = Campaign.objects.get(public_id=answer.json()["id"])
    assert made.outputs.first().given_metrics == {"comet": 0.5}
    assert made.deadline.year == 2030


def test_bad_lines_are_told_as_json(api):
    answer = post_file(api, LINES + "{\n" + json.dumps(ROWS[0]) + "\n")
    assert answer.status_code == 422
    assert [row["line"] for row in answer.json()["rows"]] == [5, 6]
    assert "already has an output" in answer.json()["rows"][1]["message"]
    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        ([], "empty"),
        ([{"item": "1"}], "missing"),
        (["text"], "not an object"),
        ([ROWS[0], ROWS[0]], "already has an output"),
        ([{**ROWS[0], "metrics": {"m": "much"}}], "is not a number"),
    ],
)
def test_bad_rows_are_refused_by_their_place(outputs, told, api):
    answer = post(api, outputs=outputs)
    assert answer.status_code == 422
    assert told in answer.json()["message"]
    assert answer.json()["rows"][-1]["line"] == len(outputs)
    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"targets": {"charm": 0.2}}, "targets"),
        ({"targets": {}}, "targets"),
        ({"targets": "overall"}, "targets"),
        ({"name": " "}, "name"),
        ({"reward": "-1"}, "reward"),
        ({"reward": "NaN"}, "reward"),
        ({"level": 95}, "level"),
        ({"estimand": "world"}, "estimand"),
        ({"instrument": "charm"}, "instrument"),
        ({"seed": 2**63}, "seed"),
        ({"max_judgments": 0}, "max_judgments"),
        ({"outputs": "text"}, "outputs"),
    ],
)
def test_each_wrong_field_is_named(given, field, api):
    answer = post(api, **given)
    assert answer.status_code == 422
    assert field in answer.json()["errors"]
    assert not Campaign.objects.exists()


def test_json_that_is_none(api):
    answer = api.post(CAMPAIGNS, "{", content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (400, "parse_error")
    nan = api.post(CAMPAIGNS, '{"level": NaN}', content_type="application/json")
    assert nan.status_code == 400


def test_too_large_a_body_is_not_read(api, settings):
    settings.UPLOAD_LIMIT = 300
    answer = post_file(api, LINES * 10)
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    token = api.post("/api/v1/token/", {"username": "x" * 200, "password": "y"}, format="json")
    assert token.status_code == 413


@pytest.mark.parametrize("gold", ["[" * 100_000, "nope", '"text"', "[1]", '[{"item": NaN}]'])
def test_gold_items_of_a_form_that_are_none_are_told(api, gold):
    answer = post_file(api, LINES, gold=gold, gold_share=5)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["gold"])
    assert not Campaign.objects.exists()
